/** Seeded random programs: hierarchies of groups with data-flow edges, only forwards. */

import { TreeBuilder } from "./builder";

/** Mulberry32: numbers in [0, 1). */
export function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `leaves` ops in nested groups in sequence, like modules; some values are used far away. */
export function randomProgram(seed: number, leaves: number): TreeBuilder {
  const next = random(seed);
  const builder = new TreeBuilder();
  const made: number[] = [];
  const path: number[] = [];
  for (let i = 0; i < leaves; i++) {
    if (path.length && next() < 0.18) path.pop();
    if (path.length < 5 && next() < 0.2)
      path.push(builder.group(path[path.length - 1] ?? -1, `g${i} Module`));
    const leaf = builder.leaf(path[path.length - 1] ?? -1, `op${Math.floor(next() * 6)}`);
    for (let k = next() < 0.1 ? 0 : 1 + Math.floor(next() * 2.4); k > 0 && made.length; k--) {
      const back = next() < 0.8 ? Math.ceil(next() * 4) : Math.ceil(next() * made.length);
      builder.edge(made[Math.max(0, made.length - back)] ?? 0, leaf);
    }
    made.push(leaf);
  }
  return builder;
}

/**
 * Groups that are used again later: each leaf is in one of a few groups, so groups feed each other in cycles.
 */
export function tangledProgram(seed: number, leaves: number): TreeBuilder {
  const next = random(seed + 5000);
  const builder = new TreeBuilder();
  const groups: number[] = [-1];
  for (let g = 0; g < 7; g++)
    groups.push(builder.group(groups[Math.floor(next() * groups.length)] ?? -1, `g${g} Module`));
  const made: number[] = [];
  for (let i = 0; i < leaves; i++) {
    const leaf = builder.leaf(groups[Math.floor(next() * groups.length)] ?? -1, `op${i % 5}`);
    for (let k = Math.floor(next() * 3); k > 0 && made.length; k--) {
      builder.edge(made[Math.floor(next() * made.length)] ?? 0, leaf);
    }
    made.push(leaf);
  }
  return builder;
}

/** Which groups are open: each with this probability. */
export function randomOpen(seed: number, items: number, chance: number): Uint8Array {
  const next = random(seed * 7919 + 1);
  return Uint8Array.from({ length: items }, () => (next() < chance ? 1 : 0));
}
