/** Numbers or categories to paint, as the kernel sends them: nodes by name, numbers as little-endian float64. */
import type { Series } from "../overlay";
import type { Snapshot } from "../snapshot";

/** One series per buffer. What this program has no node for is left out. */
export function seriesOf(heads: unknown, buffers: readonly DataView[], snapshot: Snapshot): Series[] {
  if (!Array.isArray(heads)) return [];
  return heads.flatMap((head: unknown, i) => {
    const { label, unit, nodes, categories } = (head ?? {}) as Record<string, unknown>;
    const data = buffers[i];
    if (typeof label !== "string" || !Array.isArray(nodes) || !data) return [];
    const values = new Map<number, number>();
    nodes.forEach((id: unknown, at) => {
      const node = snapshot.find(String(id));
      if (node !== undefined && 8 * at + 8 <= data.byteLength)
        values.set(node, data.getFloat64(8 * at, true));
    });
    return [
      {
        label,
        values,
        ...(typeof unit === "string" && unit && { unit }),
        ...(Array.isArray(categories) && { categories: categories.map(String) }),
      },
    ];
  });
}
