/**
 * The contract of the layout engine: what enters, what leaves.
 *
 * Enters: a `Tree` (leaves and groups, and data edges between leaves) and a `View` (which groups are open).
 * Leaves: a `Scene` (a rectangle for each visible item, a line for each visible edge) in world pixels,
 * x to the right, y down. Nothing here knows the Snapshot, the DOM or the canvas; no input is ever changed.
 */

/** Items 0…n-1 are leaves (op boxes) and groups (modules) alike. Leaves come in topological order. */
export interface Tree {
  /** The group that holds an item; -1 at the top. */
  readonly parent: Int32Array;
  readonly isGroup: Uint8Array;
  /** Pixels: of a leaf, or of a group while it is closed; an open group is never narrower than this. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** Equal groups carry the same number; 0 says "not known". Only runs are found with it. */
  readonly shape: Int32Array;
  /** Edges leaf → leaf: the targets of item i are edgeTarget[edgeStart[i] … edgeStart[i + 1]). */
  readonly edgeStart: Int32Array;
  readonly edgeTarget: Int32Array;
}

export interface View {
  /** 1 where a group is open. A group inside a closed one may be marked too; it is not seen. */
  readonly open: Uint8Array;
  /**
   * For an item that is folded into one box with siblings, the first of them: closed groups of a run of equals, items
   * of any kind in a stretch. Else the item itself.
   */
  readonly runHead?: Int32Array;
  /** 1 for the head of a stretch: its box is as large as `STRETCH` and not as the head itself. */
  readonly stretch?: Uint8Array;
  /**
   * Where an item stood among its siblings in another scene, in pixels from the left of their group; `NO_POSITION`
   * where it stood nowhere. Items of one rank with a previous position keep their order.
   */
  readonly previousX?: Float64Array;
}

/** Pixels: the box of a stretch, whatever is in it. */
export const STRETCH = { width: 140, height: 26 } as const;

export const NO_POSITION = Number.NEGATIVE_INFINITY;

/** Distances in pixels. */
export interface LayoutOptions {
  /** Between boxes side by side, and between two lines side by side. */
  readonly boxGap: number;
  readonly laneGap: number;
  /** Between one rank and the next, before lines that need more room are given it. */
  readonly rankGap: number;
  /** Inside an open group: its title, and its other three sides. */
  readonly header: number;
  readonly pad: number;
  /** A group taller than `foldHeight` and than `maxAspect` times its width flows in columns. */
  readonly maxAspect: number;
  readonly foldHeight: number;
  /** Between columns, before the lanes that run in it are given room. */
  readonly gutter: number;
  /** An edge that spans more ranks than this is a stub at both its ends. */
  readonly stubSpan: number;
  /** How many times the order of each rank is swept for fewer crossings. */
  readonly sweeps: number;
}

export const defaults: LayoutOptions = {
  boxGap: 18,
  laneGap: 12,
  rankGap: 26,
  header: 32,
  pad: 16,
  maxAspect: 3,
  foldHeight: 2400,
  gutter: 28,
  stubSpan: 400,
  sweeps: 12,
};

/** What a visible item is drawn as. */
export const Kind = { Leaf: 0, Closed: 1, Open: 2 } as const;

/** Bits of `Scene.edgeFlags`. */
export const EdgeFlag = {
  /** Runs against the flow, in a lane beside the boxes. */
  Aside: 1,
  /** Only its two ends are drawn; the points hold one NaN pair between them. */
  Stub: 2,
  /** Passes at least one rank without a stop (a residual, a mask). */
  Long: 4,
} as const;

/** What is seen, and where. A "slot" is an index into the arrays of visible items. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Item of each slot; a group comes before what it holds, so that slots are in painting order. */
  readonly item: Int32Array;
  /** x, y, width, height of each slot; x and y of its top left corner. */
  readonly rect: Float64Array;
  readonly depth: Uint16Array;
  readonly kind: Uint8Array;
  /** How many equal siblings a slot stands for: 1, or the length of its run. */
  readonly members: Int32Array;
  /** Slot of each item, -1 where it is not seen; a run's hidden members give the slot of their head. */
  readonly slotOf: Int32Array;
  readonly edgeSource: Int32Array;
  readonly edgeTarget: Int32Array;
  /** The first leaf whose value the edge carries, and how many leaf → leaf edges it stands for. */
  readonly edgeValue: Int32Array;
  readonly edgeCount: Int32Array;
  readonly edgeFlags: Uint8Array;
  /** Points of edge e: points[2·pointStart[e] … 2·pointStart[e + 1]), x and y in turn; see `curve.ts`. */
  readonly pointStart: Int32Array;
  readonly points: Float64Array;
  readonly ink: Ink;
}

/**
 * All lines, each stretch once: edges of one value share their way, and drawing each edge whole would draw
 * the shared way many times over. Draw all from this; draw an edge on its own (selected, dimmed) from `points`.
 */
export interface Ink {
  /** The value that a stroke carries, and whether it ends at a box (an arrow head) or goes on elsewhere. */
  readonly value: Int32Array;
  readonly arrives: Uint8Array;
  /** Slot of the open group in which a stroke lies; -1 at the top. */
  readonly group: Int32Array;
  readonly flags: Uint8Array;
  readonly pointStart: Int32Array;
  readonly points: Float64Array;
}
