/**
 * The correspondence between any two stages of the tree: up to their common ancestor, then down. Links are
 * composed on the way; a composed link keeps its chain and is as strong as its weakest link. The rules of
 * `exir_viz/snapshot/lineage.py`.
 */
import { isStronger } from "./evidence";
import { type Link, Links } from "./links";
import type { Evidence, StageRecord, StageTree } from "./schema";

/** Stages whose lineage is followed: to their parents, then from their parents to them. */
interface Way {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** A stage and its ancestors, itself first. */
export function ancestry(tree: StageTree, stage: string): string[] {
  const parents = new Map(tree.stages.map(({ id, parent }) => [id, parent]));
  const found: string[] = [];
  for (let at: string | null | undefined = stage; at && parents.has(at); at = parents.get(at)) found.push(at);
  return found;
}

export function wayBetween(tree: StageTree, from: string, to: string): Way {
  const [before, after] = [ancestry(tree, from), ancestry(tree, to)];
  const common = before.find((each) => after.includes(each));
  const until = (chain: readonly string[]): string[] =>
    common === undefined ? [] : chain.slice(0, chain.indexOf(common));
  return { up: until(before), down: until(after).reverse() };
}

/** All direct and indirect descendants of a stage. */
export const descendants = (tree: StageTree, stage: string): StageRecord[] =>
  tree.stages.filter(({ id }) => id !== stage && ancestry(tree, id).includes(stage));

export const childrenOf = (tree: StageTree, stage: string): StageRecord[] =>
  tree.stages.filter(({ parent }) => parent === stage);

interface Relative {
  readonly node: number;
  /** Evidence of each link on the way, in order; empty if both are one stage. */
  readonly chain: readonly Evidence[];
}

type Step = (node: number) => readonly Link[];
type Stride = (node: number) => number[];

export class StageMapping {
  private readonly steps: readonly Step[];
  private readonly strides: readonly Stride[];

  /** `up` and `down`: the links of a way's stages, in order. */
  constructor(up: readonly Links[], down: readonly Links[]) {
    this.steps = [
      ...up.map(
        (links): Step =>
          (node) =>
            links.ancestors(node),
      ),
      ...down.map(
        (links): Step =>
          (node) =>
            links.descendants(node),
      ),
    ];
    this.strides = [
      ...up.map(
        (links): Stride =>
          (node) =>
            links.numbers(node, "up"),
      ),
      ...down.map(
        (links): Stride =>
          (node) =>
            links.numbers(node, "down"),
      ),
    ];
  }

  /** The counterparts of a node in the other stage: each once, with its strongest chain. */
  of(node: number): Relative[] {
    let found: Relative[] = [{ node, chain: [] }];
    for (const step of this.steps) found = followed(found, step);
    return found;
  }

  /** The same without evidence. */
  nodes(node: number): number[] {
    let found = [node];
    for (const stride of this.strides) {
      const [only] = found;
      if (found.length === 1 && only !== undefined) found = stride(only);
      else found = [...new Set(found.flatMap(stride))].sort((a, b) => a - b);
    }
    return found;
  }
}

/** For unrelated stages. */
export const NO_MAPPING = new StageMapping([new Links({})], []);

function followed(relatives: readonly Relative[], step: Step): Relative[] {
  const best = new Map<number, Relative>();
  for (const { node, chain } of relatives) {
    for (const link of step(node)) {
      const next = { node: link.node, chain: [...chain, link.evidence] };
      const known = best.get(link.node);
      if (!known || isStronger(next.chain, known.chain)) best.set(link.node, next);
    }
  }
  return [...best.values()].sort((a, b) => a.node - b.node);
}
