/**
 * The same groups laid out by ELK, one by one and equal ones once: the same composition with another engine.
 * Only for comparing; elkjs is a parameter, so that nothing here depends on it.
 */

import { indexTree, type LayoutOptions, type Scene, type Tree } from "../../src/layout";
import {
  type FlatGraph,
  type FlatLayout,
  isIn,
  isOut,
  nodeCount,
  portEdges,
} from "../../src/layout/layered/flat";
import { hash, signature } from "../../src/layout/layered/signature";
import { compose } from "../../src/layout/scene/compose";
import { LocalGraphs } from "../../src/layout/scene/local";
import { type Placed, quotient } from "../../src/layout/scene/quotient";
import { defaults } from "../../src/layout/types";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface ElkNode extends Partial<Point> {
  readonly id: string;
  readonly width?: number;
  readonly height?: number;
  readonly children?: ElkNode[];
  readonly ports?: ElkNode[];
  readonly edges?: {
    readonly sections?: { startPoint: Point; bendPoints?: Point[]; endPoint: Point }[];
    readonly [key: string]: unknown;
  }[];
  readonly layoutOptions?: Record<string, string>;
}

export interface Elk {
  layout(graph: ElkNode): Promise<ElkNode>;
}

export async function elkScene(elk: Elk, tree: Tree, open: Uint8Array): Promise<Scene> {
  const h = indexTree(tree);
  const locals = new LocalGraphs(h);
  const groups = [h.root];
  for (let i = 0; i < groups.length; i++) {
    const g = groups[i] ?? 0;
    for (let c = h.children.start[g] ?? 0; c < (h.children.start[g + 1] ?? 0); c++) {
      const child = h.children.item[c] ?? 0;
      if (tree.isGroup[child] && open[child]) groups.push(child);
    }
  }
  groups.reverse();
  const placed = new Map<number, Placed>();
  const kept = new Map<number, FlatLayout>();
  for (const g of groups) {
    const local = locals.of(g);
    const seen = {
      tree,
      runHead: undefined,
      placed: (item: number) => (open[item] ? placed.get(item) : undefined),
    };
    const q = quotient(local, seen, { header: defaults.header, minWidth: 0 });
    const key = hash(signature(q.flat, defaults));
    const layout = kept.get(key) ?? (await elkLayout(elk, q.flat, defaults));
    kept.set(key, layout);
    placed.set(g, { local, quotient: q, layout });
  }
  const of = (g: number): Placed => {
    const found = placed.get(g);
    if (!found) throw new Error(`Group ${g} was not laid out`);
    return found;
  };
  return compose(h, Int32Array.from(groups), of);
}

/** Ports of the group are small nodes in the first and last layer; ports of open children are ELK's own. */
async function elkLayout(elk: Elk, g: FlatGraph, o: LayoutOptions): Promise<FlatLayout> {
  const n = nodeCount(g);
  const isBox = (v: number): boolean => v < g.boxes;
  const children = Array.from({ length: n }, (_, v): ElkNode => {
    const side = isIn(g, v) ? "FIRST" : "LAST";
    const [width, height] = isBox(v) ? [g.width[v] ?? 0, g.height[v] ?? 0] : [2, 2];
    return {
      id: `n${v}`,
      width,
      height,
      ports: [],
      layoutOptions: isBox(v)
        ? g.pinned[v]
          ? { "elk.portConstraints": "FIXED_POS" }
          : {}
        : { "elk.layered.layering.layerConstraint": side },
    };
  });
  const port = (v: number, dx: number, bottom: boolean): string => {
    const node = children[v];
    if (!node || !isBox(v) || !g.pinned[v]) return `n${v}`;
    const id = `n${v}${bottom ? "b" : "t"}${dx}`;
    const at = { x: (node.width ?? 0) / 2 + dx, y: bottom ? (node.height ?? 0) : 0 };
    if (!node.ports?.some((p) => p.id === id)) node.ports?.push({ id, width: 0, height: 0, ...at });
    return id;
  };
  const edges = Array.from(g.edgeTo, (v, e) => {
    const outlet = g.edgeOutlet[e] ?? 0;
    const source = port(g.outletNode[outlet] ?? 0, g.outletDx[outlet] ?? 0, true);
    return { id: `e${e}`, sources: [source], targets: [port(v, g.edgeDx[e] ?? 0, false)] };
  });
  const done = await elk.layout({
    id: "root",
    children,
    edges,
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "DOWN",
      "elk.padding": `[top=${o.header},left=${o.pad},bottom=${o.pad},right=${o.pad}]`,
    },
  });
  const points: number[] = [];
  const pointStart = [0];
  for (const edge of done.edges ?? []) {
    const [section] = edge.sections ?? [];
    if (section) {
      for (const p of [section.startPoint, ...(section.bendPoints ?? []), section.endPoint])
        points.push(p.x, p.y);
    }
    pointStart.push(points.length / 2);
  }
  const at = (v: number): ElkNode => done.children?.[v] ?? { id: "" };
  const line = { pointStart: Int32Array.from(pointStart), points: Float64Array.from(points) };
  return {
    width: done.width ?? 0,
    height: done.height ?? 0,
    x: Float64Array.from({ length: n }, (_, v) => (at(v).x ?? 0) + (at(v).width ?? 0) / 2),
    y: Float64Array.from({ length: n }, (_, v) => (isOut(g, v) ? (done.height ?? 0) : (at(v).y ?? 0))),
    ...line,
    flags: new Uint8Array(g.edgeTo.length),
    strokeStart: line.pointStart,
    strokePoints: line.points,
    ...portEdges(g),
  };
}
