/** Suggestions for a misspelled word: words with the same beginning, or at most two edits away. */
import { byText } from "../snapshot";

export function near(word: string, words: readonly string[], limit = 3): string[] {
  const allowed = word.length <= 3 ? 1 : 2;
  return words
    .map((each) => ({ each, away: each.startsWith(word) ? 0.5 : distance(word, each) }))
    .filter(({ away }) => away <= allowed)
    .sort((a, b) => a.away - b.away || byText(a.each, b.each))
    .slice(0, limit)
    .map(({ each }) => each);
}

/** Insertions, deletions and replacements from one word to another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
