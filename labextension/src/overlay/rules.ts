/** Colours of ops by queries: "op:*mm*" blue. If several rules match an op, the first wins. */
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import { PALETTE } from "../snapshot";
import type { Laid, Overlay } from "./overlay";
import { countsBySlot } from "./slot_counts";

export interface ColorRule {
  readonly query: string;
  /** "#rrggbb" */
  readonly color: string;
}

/** By node: the number of the rule that matches it. */
export type Ruled = ReadonlyMap<number, number>;

/** The name of the overlay among others. */
export const RULES = "rules";

const PART = 0.5;
/** The least opacity for a closed module if one of its ops has a colour. */
const LEAST = 0.12;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** The first colour of the palette that no rule has. */
export function nextColor(rules: readonly ColorRule[]): string {
  const used = new Set(rules.map(({ color }) => color.toLowerCase()));
  const free = PALETTE.find((color) => !used.has(color.toLowerCase()));
  return free ?? PALETTE[rules.length % PALETTE.length] ?? "#0072B2";
}

export function rulesOverlay(
  picture: Picture,
  scene: Scene,
  rules: readonly ColorRule[],
  ruled: Ruled,
): Overlay {
  const counts = new Array<number>(rules.length).fill(0);
  for (const rule of ruled.values()) counts[rule] = (counts[rule] ?? 0) + 1;
  const partsOf = countsBySlot(
    picture,
    scene,
    () => true,
    (node) => ruled.get(node),
  );
  const laid = (rule: number | undefined, part = PART): Laid | undefined => {
    const color = rules[rule ?? -1]?.color;
    return color === undefined ? undefined : { color, part };
  };
  return {
    title: "rule",
    legend: {
      type: "categories",
      title: "rules",
      swatches: rules.map(({ query, color }, i) => ({ title: query, color, count: counts[i] ?? 0 })),
    },
    color: (node) => laid(ruled.get(node)),
    text: (node) => rules[ruled.get(node) ?? -1]?.query,
    box: (slot) => {
      if (scene.kind[slot] !== Kind.Closed) return undefined;
      const { counts: found, all } = partsOf(slot);
      const [rule, count = 0] = [...found].sort((a, b) => b[1] - a[1])[0] ?? [];
      return laid(rule, Math.max(LEAST, (PART * count) / all));
    },
    boxText: (slot) => {
      const parts = [...partsOf(slot).counts].map(([rule, count]) => `${rules[rule]?.query}: ${count}`);
      return parts.length ? parts.join(", ") : undefined;
    },
  };
}
