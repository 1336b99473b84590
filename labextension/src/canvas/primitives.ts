/**
 * The draw list: what is painted, in order, as plain data that tests can read. All in screen pixels, except
 * `lines`, whose points are the scene's, in world pixels.
 */

/** Screen pixels of stroke and gap in dashed lines. */
export const DASHES = [5, 4] as const;

export interface BoxPrimitive {
  readonly type: "box";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  /** Only the left corners are round. */
  readonly isLeft?: boolean;
  readonly fill?: string;
  readonly line?: string;
  readonly lineWidth?: number;
  readonly dashed?: boolean;
  readonly alpha?: number;
}

export interface TextPrimitive {
  readonly type: "text";
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly text: string;
  readonly font: string;
  readonly color: string;
  readonly align?: "left" | "right" | "center";
  readonly alpha?: number;
  /** Painted around the letters first, to separate them from lines behind. */
  readonly halo?: string;
}

export interface LinesPrimitive {
  readonly type: "lines";
  /** Whether `ids` are strokes or whole edges. */
  readonly of: "strokes" | "edges";
  readonly ids: readonly number[];
  readonly color: string;
  /** Screen pixels. */
  readonly width: number;
  readonly heads: boolean;
  readonly dashed?: boolean;
  readonly alpha?: number;
}

export type Primitive = BoxPrimitive | TextPrimitive | LinesPrimitive;
