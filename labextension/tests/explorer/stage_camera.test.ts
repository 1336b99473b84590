/** The camera when another stage is shown. */
import { expect, test } from "vitest";
import { AROUND, rectIn, sceneRect } from "../../src/explorer/camera_follow";
import { cameraAcross } from "../../src/explorer/stage_camera";
import { type Camera, fitted } from "../../src/geometry/camera";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf, stack } from "../programs";

const screen = { width: 300, height: 200 };

function stages() {
  const snapshot = snapshotOf(stack(6));
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const items = Int32Array.from({ length: picture.count }, (_, item) => item);
  const groups = Array.from(items).filter((item) => picture.isGroup(item));
  const top = groups.filter((item) => picture.parentOf(item) === -1);
  const leaf = picture.nodeOf(items.length - 1) >= 0 ? picture.boxOf(snapshot.find("linear_2") ?? -1) : -1;
  const seen = (open: readonly number[]) => ({
    picture,
    scene: picture.layout.scene(picture.view(new Set(open), new Set())),
    selected: [],
  });
  return { open: seen(groups), closed: seen(top), items, leaf };
}

test("after a step, half of a box is enough in view, a corner is not", () => {
  const { open, closed, items, leaf } = stages();
  const { x = 0, y = 0, width = 0 } = rectIn(open.scene, leaf) ?? {};
  const step = (camera: Camera): Camera => cameraAcross({ ...open, camera, screen }, closed, items);
  const whole = fitted(sceneRect(closed.scene), screen, AROUND);
  expect(step({ x: x + 114, y: y + 16, zoom: 2 })).toEqual(whole);
  const near = step({ x: x + width / 2 - 75, y: y - 30, zoom: 2 });
  expect(near).not.toEqual(whole);
  expect(near.zoom).toBe(2);
});
