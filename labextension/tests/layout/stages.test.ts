/** Each stage of the engine alone, compared with a simple definition of its result. */

import { describe, expect, it } from "vitest";
import { groupBy, IntList } from "../../src/layout/csr";
import { trace } from "../../src/layout/curve";
import { spread } from "../../src/layout/layered/attach";
import { countCrossings, inversions } from "../../src/layout/layered/crossings";
import type { FlatGraph } from "../../src/layout/layered/flat";
import { finish, layered } from "../../src/layout/layered/layered";
import { firstOrder } from "../../src/layout/layered/layers";
import { order } from "../../src/layout/layered/order";
import { properGraph } from "../../src/layout/layered/proper";
import { backEdges, ranks } from "../../src/layout/layered/ranks";
import { Path } from "../../src/layout/path";
import { defaults } from "../../src/layout/types";
import { random } from "./random";

/** A graph of equal boxes without ports. */
function flat(boxes: number, edges: readonly (readonly [number, number])[]): FlatGraph {
  return {
    boxes,
    ins: 0,
    outs: 0,
    width: new Float64Array(boxes).fill(100),
    height: new Float64Array(boxes).fill(38),
    pinned: new Uint8Array(boxes),
    isGroup: new Uint8Array(boxes),
    outletNode: Int32Array.from({ length: boxes }, (_, v) => v),
    outletDx: new Float64Array(boxes),
    edgeOutlet: Int32Array.from(edges, ([a]) => a),
    edgeTo: Int32Array.from(edges, ([, b]) => b),
    edgeDx: new Float64Array(edges.length),
    header: 32,
    minWidth: 0,
  };
}

const rankOf = (g: FlatGraph): number[] => [...ranks(g, new Uint8Array(g.edgeTo.length)).rank];

describe("lists", () => {
  it("groups entries by key in their order, and skips negative keys", () => {
    const { start, item } = groupBy(3, [2, 0, -1, 2]);
    expect([...start]).toEqual([0, 1, 1, 3]);
    expect([...item]).toEqual([1, 0, 3]);
  });

  it("grows", () => {
    const list = new IntList();
    for (let i = 0; i < 100; i++) list.push(i);
    expect(list.toArray()).toEqual(Int32Array.from({ length: 100 }, (_, i) => i));
  });
});

describe("cycles", () => {
  it("finds the edge that closes a loop, and none in a DAG", () => {
    expect([...backEdges(3, [0, 1, 2], [1, 2, 0])]).toEqual([0, 0, 1]);
    expect([...backEdges(3, [0, 0, 1], [1, 2, 2])]).toEqual([0, 0, 0]);
  });
});

describe("ranks", () => {
  it("puts each node below all its inputs", () => {
    expect(
      rankOf(
        flat(4, [
          [0, 1],
          [1, 2],
          [0, 3],
          [2, 3],
        ]),
      ),
    ).toEqual([0, 1, 2, 3]);
  });

  it("moves constants, and what is computed from them, down to their users", () => {
    const chain = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [5, 6],
      [6, 4],
    ] as const;
    expect(rankOf(flat(7, chain))).toEqual([0, 1, 2, 3, 4, 2, 3]);
  });
});

describe("long lines", () => {
  it("share one chain of dummies per source", () => {
    const g = flat(5, [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [0, 3],
      [0, 4],
    ]);
    const p = properGraph(g, ranks(g, new Uint8Array(6)), new Uint8Array(6));
    expect(p.nodes - p.real).toBe(3);
  });
});

describe("order", () => {
  it("counts inversions like comparing all pairs, few and many", () => {
    const next = random(5);
    for (const length of [0, 1, 7, 31, 32, 100, 257]) {
      const keys = Float64Array.from({ length }, () => Math.floor(next() * 20));
      const weight = Float64Array.from({ length }, () => Math.ceil(next() * 3));
      let sum = 0;
      for (let i = 0; i < length; i++) {
        for (let j = i; j < length; j++) {
          if ((keys[i] ?? 0) > (keys[j] ?? 0)) sum += (weight[i] ?? 0) * (weight[j] ?? 0);
        }
      }
      expect(inversions(keys, weight)).toBe(sum);
    }
  });

  it("untangles a graph that has a planar drawing", () => {
    const trace = Array.from({ length: 12 }, (_, i) => [i, 12 + ((i * 5) % 12)] as const);
    const g = flat(24, trace);
    const p = properGraph(g, ranks(g, new Uint8Array(12)), new Uint8Array(12));
    expect(countCrossings(p, finish(order(p, 12)))).toBe(0);
  });

  it("is never worse than the first order", () => {
    const next = random(9);
    for (let trial = 0; trial < 20; trial++) {
      const edges = Array.from({ length: 40 }, () => {
        const a = Math.floor(next() * 24);
        return [a, a + 1 + Math.floor(next() * (24 - a))] as const;
      });
      const g = flat(25, edges);
      const p = properGraph(g, ranks(g, new Uint8Array(40)), new Uint8Array(40));
      expect(countCrossings(p, finish(order(p, 12)))).toBeLessThanOrEqual(
        countCrossings(p, firstOrder(p, false)),
      );
    }
  });
});

describe("one group", () => {
  it("puts a chain in one straight line", () => {
    const links = Array.from({ length: 9 }, (_, i) => [i, i + 1] as const);
    const { x } = finish(layered(flat(10, links), defaults));
    expect(new Set(x).size).toBe(1);
  });

  it("keeps the main line straight when a residual passes it", () => {
    const { x } = finish(
      layered(
        flat(5, [
          [0, 1],
          [1, 2],
          [2, 3],
          [3, 4],
          [0, 4],
        ]),
        defaults,
      ),
    );
    expect(new Set(x).size).toBe(1);
  });

  it("draws an edge against the flow around the side", () => {
    const { points, pointStart, flags, x } = finish(
      layered(
        flat(3, [
          [0, 1],
          [1, 2],
          [2, 0],
        ]),
        defaults,
      ),
    );
    expect([...flags]).toEqual([0, 0, 1]);
    const line = points.subarray(2 * (pointStart[2] ?? 0), 2 * (pointStart[3] ?? 0));
    const farthest = Math.max(...line.filter((_, i) => i % 2 === 0));
    expect(farthest).toBeGreaterThan((x[0] ?? 0) + 50);
  });

  it("flows in columns if it is tall, and is wider and lower then", () => {
    const g = flat(
      60,
      Array.from({ length: 59 }, (_, i) => [i, i + 1] as const),
    );
    const tall = finish(layered(g, { ...defaults, maxAspect: Number.POSITIVE_INFINITY }));
    const folded = finish(layered(g, defaults));
    expect(folded.height).toBeLessThan(tall.height / 2);
    expect(folded.width).toBeGreaterThan(tall.width * 2);
    expect(new Set(folded.x).size).toBeGreaterThan(2);
  });
});

describe("lines", () => {
  it("spreads ends over a box, in order and apart", () => {
    expect(spread([0, 50, 100], 50, 30)).toEqual([36, 50, 64]);
    const many = spread([10, 10, 10, 10], 10, 6);
    expect(many.every((v, i) => v >= 4 && v <= 16 && (i === 0 || v > (many[i - 1] ?? 0)))).toBe(true);
  });

  it("skips points on a straight line, and keeps lifted pens", () => {
    const path = new Path();
    path.move(0, 0);
    path.to(0, 5);
    path.to(0, 9);
    path.to(4, 12);
    path.lift();
    path.to(4, 20);
    expect([...path.toArray()]).toEqual([0, 0, 0, 9, 4, 12, Number.NaN, Number.NaN, 4, 20]);
  });

  it("draws curves between heights, straight lines along axes, and nothing across a lifted pen", () => {
    const calls: string[] = [];
    trace(Float64Array.of(0, 0, 0, 10, 8, 20, Number.NaN, Number.NaN, 8, 30, 8, 40), 0, 6, {
      moveTo: (...p) => calls.push(`M${p}`),
      lineTo: (...p) => calls.push(`L${p}`),
      bezierCurveTo: (...p) => calls.push(`C${p}`),
    });
    expect(calls).toEqual(["M0,0", "L0,10", "C0,15,8,15,8,20", "M8,30", "L8,40"]);
  });
});
