/**
 * Messages between the page and the layout worker. Numbers and typed arrays only; no text except errors. Nothing
 * validates them at run time: the worker is part of the page's script, and no other program sends or reads them.
 */

import type { LayoutOptions, Scene, Tree, View } from "../types";

export type LayoutRequest =
  /** A program to lay out; it is kept until it is closed. */
  | {
      readonly kind: "open";
      readonly program: number;
      readonly tree: Tree;
      readonly options: Partial<LayoutOptions>;
    }
  /** Replaces an open request for the same program. */
  | { readonly kind: "layout"; readonly id: number; readonly program: number; readonly view: View }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "close"; readonly program: number };

export type LayoutResponse =
  /** `ms`: wall time of the work, pauses included. */
  | { readonly kind: "scene"; readonly id: number; readonly scene: Scene; readonly ms: number }
  /** Replaced or cancelled. */
  | { readonly kind: "dropped"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

/** The buffers of a scene, to be moved and not copied. The receiver then owns the scene. */
export function transferables(scene: Scene): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const part of [...Object.values(scene), ...Object.values(scene.strokes)]) {
    if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) buffers.push(part.buffer);
  }
  return buffers;
}
