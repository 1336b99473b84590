/**
 * The contract of the layout engine.
 *
 * Input: a `Tree` (leaves and groups, and data edges between leaves) and a `View` (which groups are open).
 * Output: a `Scene` (a rectangle for each visible item, a line for each visible edge) in world pixels, x to
 * the right, y down. It does not know the Snapshot, the DOM or the canvas, and changes no input.
 */

/** Items 0…n-1 are leaves (op boxes) and groups (modules). Leaves come in topological order. */
export interface Tree {
  /** The group around an item; -1 at the top. */
  readonly parent: Int32Array;
  readonly isGroup: Uint8Array;
  /** Pixels: of a leaf, or of a closed group; an open group is never narrower than this. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** Equal groups have the same number; 0 means unknown. Only used to find runs. */
  readonly shape: Int32Array;
  /** Edges leaf → leaf: the targets of item i are edgeTarget[edgeStart[i] … edgeStart[i + 1]). */
  readonly edgeStart: Int32Array;
  readonly edgeTarget: Int32Array;
}

export interface View {
  /** 1 if a group is open. A group inside a closed one may be open too; it is not visible. */
  readonly open: Uint8Array;
  /**
   * For an item that shares a box with siblings, the first of them: closed groups of a run of identical ones,
   * or any unchanged siblings. Else the item itself.
   */
  readonly runHead?: Int32Array;
  /** 1 for the head of hidden unchanged siblings: its box has the size `STRETCH`, not its own. */
  readonly stretch?: Uint8Array;
  /**
   * The item's position among its siblings in another scene, in pixels from the left of their group;
   * `NO_POSITION` if it had none. Items of one rank with a previous position keep their order.
   */
  readonly previousX?: Float64Array;
}

/** The size of a box of hidden siblings, in pixels. */
export const STRETCH = { width: 140, height: 26 } as const;

export const NO_POSITION = Number.NEGATIVE_INFINITY;

/** Distances in pixels. */
export interface LayoutOptions {
  /** Between boxes side by side, and between two lines side by side. */
  readonly boxGap: number;
  readonly laneGap: number;
  /** Between one rank and the next; lines that need it get more room. */
  readonly rankGap: number;
  /** Inside an open group: its title, and the margins of its other three sides. */
  readonly header: number;
  readonly pad: number;
  /** A group taller than `foldHeight` and than `maxAspect` times its width flows in columns. */
  readonly maxAspect: number;
  readonly foldHeight: number;
  /** Between columns, without the lanes in it. */
  readonly gutter: number;
  /** An edge that spans more ranks is a stub at both ends. */
  readonly stubSpan: number;
  /** How often the order of each rank is swept for fewer crossings. */
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

/** How a visible item is drawn. */
export const Kind = { Leaf: 0, Closed: 1, Open: 2 } as const;

/** Bits of `Scene.edgeFlags`. */
export const EdgeFlag = {
  /** Runs against the flow, in a lane beside the boxes. */
  Aside: 1,
  /** Only its two ends are drawn; the points hold one NaN pair between them. */
  Stub: 2,
  /** Passes at least one rank (a residual, a mask). */
  Long: 4,
} as const;

/** What is visible, and where. A "slot" is an index into the arrays of visible items. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Item of each slot; a group comes before its content, so that slots are in painting order. */
  readonly item: Int32Array;
  /** x, y, width, height of each slot; x and y are its top left corner. */
  readonly rect: Float64Array;
  readonly depth: Uint16Array;
  readonly kind: Uint8Array;
  /** How many identical siblings a slot represents: 1, or the length of its run. */
  readonly members: Int32Array;
  /** Slot of each item, -1 if it is not visible; a run's hidden members have the slot of their head. */
  readonly slotOf: Int32Array;
  readonly edgeSource: Int32Array;
  readonly edgeTarget: Int32Array;
  /** The first leaf whose value the edge carries, and the number of leaf → leaf edges it represents. */
  readonly edgeValue: Int32Array;
  readonly edgeCount: Int32Array;
  readonly edgeFlags: Uint8Array;
  /** Points of edge e: points[2·pointStart[e] … 2·pointStart[e + 1]), x and y in turn; see `curve.ts`. */
  readonly pointStart: Int32Array;
  readonly points: Float64Array;
  readonly strokes: Strokes;
}

/**
 * All lines, with shared parts once: edges of one value share parts of their path, and drawing each edge
 * whole would draw these many times. Use this to draw all edges; use `points` to draw a single one (selected,
 * dimmed).
 */
export interface Strokes {
  /** The value that a stroke carries, and whether it ends at a box (an arrow head) or continues elsewhere. */
  readonly value: Int32Array;
  readonly arrives: Uint8Array;
  /** Slot of the open group that contains a stroke; -1 at the top. */
  readonly group: Int32Array;
  readonly flags: Uint8Array;
  readonly pointStart: Int32Array;
  readonly points: Float64Array;
}
