/** Overlays from the kernel: nodes by name, with numbers or categories as little-endian float64. */
import type { Series } from "../overlay";
import type { Snapshot } from "../snapshot";
import type { SeriesHead } from "./messages";

/** One series per buffer. Nodes that this program does not have are skipped. */
export function seriesOf(
  heads: readonly SeriesHead[],
  buffers: readonly DataView[],
  snapshot: Snapshot,
): Series[] {
  return heads.flatMap(({ label, unit, nodes, categories }, i) => {
    const data = buffers[i];
    if (!data) return [];
    const values = new Map<number, number>();
    nodes.forEach((id, at) => {
      const node = snapshot.find(id);
      if (node !== undefined && 8 * at + 8 <= data.byteLength)
        values.set(node, data.getFloat64(8 * at, true));
    });
    return [
      {
        label,
        values,
        ...(unit && { unit }),
        ...(categories && { categories }),
      },
    ];
  });
}
