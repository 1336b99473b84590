/** What a draw list is made from, besides the camera: the scene, its words and colours, and what is marked in it. */

import type { Marks } from "../explorer/highlights";
import type { Camera, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Measure, Picture, Stretches } from "../picture";
import type { Primitive } from "./primitives";
import type { GoneIn } from "./removed_boxes";
import { type Clip, clipper } from "./text";
import type { Theme } from "./theme";
import type { TintSpread } from "./tint_spread";

export const NO_MARKS: Marks = { selected: new Set(), hovered: -1, edge: -1 };

/** What an overlay says of a slot; undefined where it says nothing. */
export type Paint = (slot: number) => string | undefined;

/** What a badge more says of a slot, the longest way to say it first; undefined where there is none. */
export type Badge = (slot: number) => readonly string[] | undefined;

/** Of what is in view, in screen pixels: outlines, which rings and chips lie on, and what lies on all else. */
export interface Signs {
  readonly under: readonly Primitive[];
  readonly over: readonly Primitive[];
}

/** What is painted besides, such as signs of a comparison. */
export type Above = (look: Look, camera: Camera, screen: Size) => Signs;

export interface Look {
  readonly picture: Picture;
  readonly scene: Scene;
  /** Boxes that stand for several siblings; absent where none does. */
  readonly stretches?: Stretches;
  /** The scene's own, or what lies between two scenes while boxes move. */
  readonly rect: Float64Array;
  /** How much there is of the lines, 0 while boxes move … 1: they come once boxes stand. */
  readonly lines: number;
  /** By slot: how much there is of a box that comes or goes, 0 … 1; absent where all stand. */
  readonly strength?: Float64Array | undefined;
  readonly theme: Theme;
  readonly clip: Clip;
  readonly width: (text: string, role: Parameters<Clip>[1]) => number;
  readonly marks: Marks;
  readonly paint?: Paint | undefined;
  /** Between stages: how the colours of the one spread over those of the other. */
  readonly spread?: TintSpread | undefined;
  /** A badge more at a module's head. */
  readonly badge?: Badge | undefined;
  readonly above?: Above | undefined;
  /** Whether colours say what changed, and not of which kind ops are. */
  readonly isCompared?: boolean;
  /** What is drawn as a ghost; absent where nothing is. */
  readonly gone?: GoneIn | undefined;
  /** Whether edges are as thick as their values have bytes. */
  readonly isWeighted?: boolean;
}

/** Of a scene at rest, in which nothing is marked. */
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
