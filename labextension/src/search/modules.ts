/** Modules by their path or class, for lists that go to one of them. Pure. */
import type { Snapshot } from "../snapshot";

/**
 * Numbers of the module calls that contain every word in their path or class, the outermost first; of equally
 * deep ones those first whose own name or class ends with a word. If paths end with the text, only those.
 * Without any, letters and numbers are words of their own: "layer5" is "layer 5". A text with fields of the
 * query language finds none.
 */
export function modulesNamed(
  { scopes }: Pick<Snapshot, "scopes">,
  text: string,
  isDrawn: (scope: number) => boolean = () => true,
): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted || /[:"*()]/.test(wanted)) return [];
  const found = (words: readonly string[]): number[] => modulesWith(scopes, wanted, words, isDrawn);
  const all = found(wanted.split(/\s+/));
  return all.length ? all : found(wanted.match(/\d+|[a-z_]+/g) ?? []);
}

function modulesWith(
  scopes: Snapshot["scopes"],
  wanted: string,
  words: readonly string[],
  isDrawn: (scope: number) => boolean,
): number[] {
  const tests = words.map(wordTest);
  const found = new Map<string, { scope: number; isEnd: boolean; isOwn: boolean; depth: number }>();
  scopes.forEach(({ path, cls }, scope) => {
    const lower = path.toLowerCase();
    const kind = cls.slice(cls.lastIndexOf(".") + 1).toLowerCase();
    const within = `${lower} ${kind}`;
    // Later calls of a module have the same path.
    if (!path || found.has(path) || !tests.every((isIn) => isIn(within)) || !isDrawn(scope)) return;
    found.set(path, {
      scope,
      isEnd: lower === wanted || lower.endsWith(`.${wanted}`),
      isOwn: words.some((word) => kind.endsWith(word) || lower.endsWith(word)),
      depth: path.split(".").length,
    });
  });
  const all = [...found.values()];
  const ends = all.filter(({ isEnd }) => isEnd);
  return (ends.length ? ends : all)
    .sort((a, b) => a.depth - b.depth || Number(b.isOwn) - Number(a.isOwn))
    .map(({ scope }) => scope);
}

/** Whether a text contains a word; a number is the whole number, so that layer 1 is not layer 10. */
function wordTest(word: string): (text: string) => boolean {
  if (!/^\d+$/.test(word)) return (text) => text.includes(word);
  const number = new RegExp(`(?<!\\d)${word}(?!\\d)`);
  return (text) => number.test(text);
}

/**
 * Whether a module answers a text better than the nodes found: no op among them has every word in its own name
 * or operator, so they were found by the module around them.
 */
export function isModuleBetter(snapshot: Snapshot, text: string, nodes: readonly number[]): boolean {
  const words = text.trim().toLowerCase().split(/\s+/);
  return !nodes.some((node) => {
    const { graph, position } = snapshot.locate(node);
    if (graph.op(position) !== "call_function") return false;
    const own = `${snapshot.name(node)} ${snapshot.target(node).name}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
}
