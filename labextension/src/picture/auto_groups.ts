/**
 * Groups that the picture inserts where a program has none: without modules, or with thousands of nodes in
 * one.
 */
import {
  type BoxSize,
  type Hierarchy,
  indexTree,
  insertGroups,
  type PseudoGroup,
  split,
  type Tree,
} from "../layout";

/** A group without a module call. Without a title it is named by its first and last op. */
export interface OurGroup {
  readonly title?: string;
  readonly subtitle: string;
  readonly reason: string;
}

interface Grouped {
  readonly hierarchy: Hierarchy;
  /** The groups of the added items, in order. */
  readonly groups: readonly OurGroup[];
}

const SIZE: BoxSize = { width: 0, height: 0 };

/** The top is always open: it is split when it has more boxes than a first frame can show. */
const TOP = { most: 80, leastChunk: 20, mostChunk: 40 } as const;

export function groupOurs(tree: Tree, kind: Int32Array): Grouped {
  const first = tree.parent.length;
  const hierarchy = indexTree(tree);
  const groups: OurGroup[] = [];
  let grown = tree;
  for (let g = 0; g <= first; g++) {
    if (g < first && !tree.isGroup[g]) continue;
    const made: PseudoGroup[] = split(hierarchy, g, kind, g === first ? TOP : {});
    if (made.length === 0) continue;
    grown = insertGroups(grown, g === first ? -1 : g, made, SIZE);
    groups.push(...made.map(({ reason }) => ({ subtitle: "auto-group", reason })));
  }
  return { hierarchy: grown === tree ? hierarchy : indexTree(grown), groups };
}
