/** A small program as a static picture: everything open, nothing marked, SVG with real text. */
import { Picture } from "../picture";
import type { Snapshot } from "../snapshot";
import { svgImage, wholeShot } from "./image";
import { plainLook } from "./look";
import { canvasMeasure } from "./text";
import type { Theme } from "./theme";

/** The graph of the first method. */
export function still(snapshot: Snapshot, theme: Theme, document: Document): string {
  const measure = canvasMeasure(theme, document);
  const picture = new Picture(snapshot, snapshot.graph(snapshot.methods[0]?.graph ?? 0), false, measure);
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  const scene = picture.layout.scene(picture.view(new Set(groups), new Set()));
  const look = plainLook(picture, scene, theme, measure);
  return svgImage(look, wholeShot(look));
}
