/** Sets of groups to open: all, down to a depth, all of a kind; and the same items in another picture. Pure. */
import type { Opening, Picture } from "../picture";

/** A row of more unread state would be as wide as the program is long. */
const MOST_IDLE = 40;

/** All groups except one with much unread state. */
export const everyGroup = (picture: Picture): Set<number> =>
  new Set(
    groupsOf(picture).filter(
      (item) => picture.words.opsOf(item) > 0 || picture.leavesOf(item).length <= MOST_IDLE,
    ),
  );

/** Groups inside fewer than `depth` others. */
export const groupsAbove = (picture: Picture, depth: number): Set<number> =>
  new Set(groupsOf(picture).filter((item) => picture.around(item).length < depth));

/** The box of the delegate with most ops, in the view by delegate; undefined if there is none. */
export function largestDelegate(picture: Picture): number | undefined {
  const delegates = groupsOf(picture).filter((item) => picture.words.delegateOf(item));
  const size = (item: number): number => picture.words.opsOf(item);
  return delegates.reduce<number | undefined>(
    (most, item) => (most === undefined || size(item) > size(most) ? item : most),
    undefined,
  );
}

/** The first scene where the user wants modules open down to a depth. */
export function openedTo(picture: Picture, depth: number): Opening {
  const open = groupsAbove(picture, depth);
  return { open, scene: picture.layout.scene(picture.view(open, new Set())) };
}

/** `open` with a group and all that are like it opened; where it is open, with all of them closed. */
export function withSimilar(picture: Picture, open: ReadonlySet<number>, item: number): Set<number> {
  const changed = new Set(open);
  const isOpen = open.has(item);
  for (const each of groupsOf(picture)) {
    if (!isSimilar(picture, each, item)) continue;
    if (isOpen) changed.delete(each);
    else changed.add(each);
  }
  return changed;
}

/** The items of one picture in another of the same program, such as one that folds no parameters. */
export function sameItems(from: Picture, to: Picture, items: Iterable<number>): Set<number> {
  const same = new Set<number>();
  for (const item of items) {
    const found = to.itemAt(from.words.key(item));
    if (found !== undefined) same.add(found);
  }
  return same;
}

function groupsOf(picture: Picture): number[] {
  const groups: number[] = [];
  for (let item = 0; item < picture.count; item++) if (picture.isGroup(item)) groups.push(item);
  return groups;
}

/** With the same ops, or of the same class. */
function isSimilar(picture: Picture, a: number, b: number): boolean {
  if (a === b || picture.areSimilar(a, b)) return true;
  const classOf = (item: number): string | undefined => picture.snapshot.scopes[picture.scopeOf(item)]?.cls;
  return classOf(a) !== undefined && classOf(a) === classOf(b);
}
