/** One picture of both programs, in the place of the pictures side by side. */
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Above } from "../../canvas/look";
import type { Theme } from "../../canvas/theme";
import type { CanvasView } from "../../canvas/view";
import type { Explorer } from "../../explorer";
import { ExplorerContext } from "../../frame/context";
import type { Scene } from "../../layout";
import { Empty } from "../../panels/parts/states";
import { visible } from "../../panels/parts/text";
import type { Measure } from "../../picture";
import {
  gaugeDot,
  gaugePaint,
  overlaySubject,
  type Reading,
  Readings,
  readingWords,
  withReadings,
} from "../measurements";
import type { PairPaint } from "../model/state";
import { goneModules, overlaySigns } from "../superimposed/change_signs";
import { fitnessOf } from "../superimposed/readability";
import { Overlay } from "../superimposed/superimposed";
import { changePaint, dotColor, signPrimitives } from "./change_signs";
import { useEnds, usePaint } from "./color_choice";
import { useColumns, useKnownOf, useMeasuring, usePair, usePairPart } from "./context";
import { takeFocus } from "./focus_keeping";
import { Sheet } from "./graph_canvas";

/** What a picture of both is painted with. */
export interface Easel {
  readonly measure: Measure;
  readonly theme: Theme;
  readonly canvas: (explorer: Explorer) => CanvasView;
}

export interface PairOverlayProps {
  readonly easel: Easel;
  readonly mount: string;
  readonly takesWheel: boolean;
}

/** Drawn at once where little changed; where much did, when that is asked for. */
export function PairOverlay(props: PairOverlayProps): JSX.Element {
  const columns = useColumns();
  const { changes, at } = usePair();
  const fitness = useMemo(() => fitnessOf(changes), [changes]);
  const [wanted, setWanted] = useState(-1);
  if (fitness.is === "fit" || (fitness.is === "much" && wanted === at)) return <Both key={at} {...props} />;
  return (
    <div class="exirviz-overlay">
      <Empty
        title={
          fitness.is === "much"
            ? "One picture of both would be hard to read"
            : "The two have too little in common"
        }
      >
        {fitness.is === "much"
          ? `${fitness.share}. Side by side, so many are easier to follow.`
          : `${fitness.share}, and most of what is on one side has no counterpart: one picture would be two that lie on each other.`}
      </Empty>
      <p class="exirviz-overlay-ways">
        <button type="button" class="exirviz-button" onClick={() => columns.see("pictures")}>
          Side by side
        </button>
        {fitness.is === "much" && (
          <button type="button" class="exirviz-button" onClick={() => setWanted(at)}>
            Draw it all the same
          </button>
        )}
      </p>
    </div>
  );
}

interface Drawn {
  readonly overlay: Overlay;
  readonly view: CanvasView;
}

function Both({ easel, mount, takesWheel }: PairOverlayProps): JSX.Element {
  const columns = useColumns();
  const pair = usePair();
  const isSeen = usePairPart((state) => state.sight === "overlay");
  const [drawn, setDrawn] = useState<Drawn>();
  useLayoutEffect(() => {
    const overlay = new Overlay(
      columns,
      pair,
      easel.measure,
      columns.row.explorer(pair.at).sight.state.screen,
    );
    const view = easel.canvas(overlay.explorer);
    const off = columns.store.subscribe(() => view.request());
    setDrawn({ overlay, view });
    return () => {
      off();
      view.dispose();
      overlay.dispose();
    };
  }, [columns, pair]);
  useEffect(() => {
    columns.overlay = isSeen ? drawn?.overlay : undefined;
    if (isSeen && drawn) takeFocus(drawn.view.canvas);
    return () => {
      columns.overlay = undefined;
    };
  }, [columns, drawn, isSeen]);
  const paint = usePaint();
  const { values, costs } = useKnownOf(useMeasuring());
  const ends = useEnds();
  const readings = useMemo(
    () => drawn && new Readings(overlaySubject(drawn.overlay), values, costs, ends),
    [drawn, values, costs, ends],
  );
  useEffect(() => {
    if (drawn && readings) color(drawn, readings, paint, easel.theme);
  }, [drawn, readings, paint, easel.theme]);
  const words = (overlay: Overlay, item: number): string => {
    const isGroup = overlay.explorer.picture.isGroup(item);
    const measured = readings ? readingWords(readings.of(item), isGroup) : "";
    return [overlay.words(item), measured].filter(Boolean).join("; ");
  };
  const dot = useCallback(
    (item: number): string | undefined => {
      if (!drawn || !readings) return undefined;
      const { explorer, tally } = drawn.overlay;
      if (paint === "changes") return dotColor(tally, explorer, item);
      return gaugeDot(readings, item, explorer.picture.isGroup(item), paint, easel.theme);
    },
    [drawn, readings, paint, easel.theme],
  );
  const { a, b } = pair.changes.comparison;
  const title = `${visible(a)} and ${visible(b)}`;
  return (
    <section class="exirviz-overlay exirviz-pane" aria-label={title}>
      {drawn && (
        <ExplorerContext.Provider value={drawn.overlay.explorer}>
          <Sheet
            view={drawn.view}
            name={`${mount}-both`}
            title={title}
            takesWheel={takesWheel}
            says={(item) => words(drawn.overlay, item)}
            dot={dot}
            onLead={() => columns.lead(columns.state.leader)}
            onHover={(slot) => drawn.overlay.hover(slot)}
          />
        </ExplorerContext.Provider>
      )}
    </section>
  );
}

/** Where there is no room for what a node was. */
const isTold = ({ firsts, troubles }: Reading): boolean => firsts.length + troubles.length > 0;

function color({ overlay, view }: Drawn, readings: Readings, paint: PairPaint, theme: Theme): void {
  view.theme = theme;
  const scene = (): Scene => overlay.explorer.state.scene;
  const changes = changePaint(() => overlay.tally, theme, scene);
  view.boxPaint =
    paint === "changes"
      ? (slot) => (overlay.gone(scene()).boxes.has(slot) ? undefined : changes(slot))
      : gaugePaint(readings, scene, paint, theme);
  view.gone = (scene) => overlay.gone(scene);
  const signs: Above = (look, camera, screen) => {
    if (paint === "changes")
      return overlaySigns(overlay, (slot) => isTold(readings.at(slot)), look, camera, screen);
    const { under, over } = signPrimitives(undefined, overlay.lit(), look, camera, screen);
    return { under: [...goneModules(overlay, look, camera, screen), ...under], over };
  };
  view.isCompared = true;
  view.above = withReadings(signs, readings, paint);
  view.request();
}
