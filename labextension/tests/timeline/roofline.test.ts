import { expect, test } from "vitest";
import { Profile } from "../../src/profile";
import { UNKNOWN } from "../../src/profile/schema";
import { logAxis, logPlace, logTicks, pointAt, rooflineOf } from "../../src/timeline/roofline";
import { sequenceOf } from "../../src/timeline/sequence";
import { recordOf } from "../profile/records";
import { snapshotOf, stack } from "../programs";

const snapshot = snapshotOf(stack(2));
const sequence = sequenceOf(snapshot, snapshot.graph(0));

function measured(flops: readonly number[], bytes: readonly number[]): Profile {
  const record = recordOf(snapshot, { linear_0: 2, relu_0: 1, linear_1: 4, relu_1: 1 });
  const columns = { ...record.columns, flops: [...flops], bytes_moved: [...bytes] };
  return new Profile({ ...record, columns }, snapshot);
}

test("a point is an op with known FLOPs, bytes and time; the roofs are the best of the run", () => {
  const found = rooflineOf(sequence, measured([4000, UNKNOWN, 4000, 10], [1000, 9000, 1000, UNKNOWN]));
  expect(found?.points.map(({ op, intensity, rate }) => [op, intensity, rate])).toEqual([
    [0, 4, 2e9],
    [2, 4, 1e9],
  ]);
  // The op that moves bytes fastest may have no FLOPs.
  expect(found?.roofs).toEqual({ rate: 2e9, bandwidth: 9e9 });
  expect(found?.longest).toBe(4000);
});

test("without FLOPs there is no roofline", () => {
  expect(rooflineOf(sequence, measured([0, 0, 0, UNKNOWN], [1, 1, 1, 1]))).toBeUndefined();
  expect(rooflineOf(sequence, undefined)).toBeUndefined();
});

test("equal steps of an axis are equal ratios, and powers of ten are marked", () => {
  const axis = logAxis([1, 10_000], 0, 400);
  const [a, b, c] = [1, 10, 100].map((value) => logPlace(axis, value)) as [number, number, number];
  expect(c - b).toBeCloseTo(b - a);
  expect(logTicks(axis)).toEqual([1, 10, 100, 1000, 10_000]);
  expect(logTicks(logAxis([10, 20], 0, 100))).toEqual([10, 20]);
});

test("the nearest point is chosen, and none that is far away", () => {
  const places = [
    { x: 10, y: 10, radius: 8 },
    { x: 16, y: 10, radius: 3 },
  ];
  expect(pointAt(places, 15, 10)).toBe(1);
  expect(pointAt(places, 11, 11)).toBe(0);
  expect(pointAt(places, 60, 60)).toBe(-1);
});
