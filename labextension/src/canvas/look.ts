/** The input of a draw list except the camera: the scene, its text and colours, and its marks. */

import type { Marks } from "../explorer/highlights";
import type { Camera, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Measure, Picture, Stretches } from "../picture";
import type { Primitive } from "./primitives";
import { type Clip, clipper } from "./text";
import type { Theme } from "./theme";
import type { TintSpread } from "./tint";

export const NO_MARKS: Marks = { selected: new Set(), hovered: -1, edge: -1 };

/** The colour that an overlay gives a slot; undefined if it has none. */
export type Paint = (slot: number) => string | undefined;

/** The texts of an additional badge for a slot, the longest first; undefined if there is none. */
export type Badge = (slot: number) => readonly string[] | undefined;

/**
 * Layers of primitives in view, in screen pixels: outlines below rings and chips, and what is above
 * everything.
 */
export interface Signs {
  readonly under: readonly Primitive[];
  readonly over: readonly Primitive[];
}

/** Additional layers, such as the signs of a comparison. */
export type Above = (look: Look, camera: Camera, screen: Size) => Signs;

export interface Look {
  readonly picture: Picture;
  readonly scene: Scene;
  /** Boxes that each replace several unchanged siblings; absent if there are none. */
  readonly stretches?: Stretches;
  /** The scene's rectangles, or those between two scenes while boxes move. */
  readonly rect: Float64Array;
  /** Opacity of lines, 0 while boxes move … 1: lines appear when boxes have stopped. */
  readonly lines: number;
  /** By slot: opacity of a box that appears or disappears, 0 … 1; absent if all are opaque. */
  readonly strength?: Float64Array | undefined;
  readonly theme: Theme;
  readonly clip: Clip;
  readonly width: (text: string, role: Parameters<Clip>[1]) => number;
  readonly marks: Marks;
  readonly paint?: Paint | undefined;
  /** Between stages: how colours change from one stage to the other. */
  readonly spread?: TintSpread | undefined;
  /** An additional badge in module headers. */
  readonly badge?: Badge | undefined;
  readonly above?: Above | undefined;
  /** Whether colours show changes, not kinds of ops. */
  readonly isCompared?: boolean;
  /** Whether the width of edges shows the size of tensors. */
  readonly isWeighted?: boolean;
}

/** The look of a scene without motion, selection or marks. */
export function plainLook(picture: Picture, scene: Scene, theme: Theme, measure: Measure): Look {
  return {
    picture,
    scene,
    rect: scene.rect,
    lines: 1,
    theme,
    clip: clipper(measure),
    width: measure,
    marks: NO_MARKS,
  };
}
