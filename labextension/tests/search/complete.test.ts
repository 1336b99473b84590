/** Completions: keys and this program's values, each replacing the word at the caret. */
import { expect, test } from "vitest";
import { Completer, Searcher } from "../../src/search";
import { readCorpus } from "../snapshots";

const completer = new Completer(await readCorpus("llama32.core"));

/** The text after the first completion is accepted. */
function taken(text: string, caret = text.length): string {
  const first = completer.at(text, caret)[0];
  if (!first) return "nothing";
  return text.slice(0, first.replace.start) + first.text + text.slice(first.replace.end);
}

test.each([
  ["sh", "shape:"],
  ["op:mm sh", "op:mm shape:"],
  ["-sh", "-shape:"],
  ["op:aten.bm", "op:aten.bmm.default"],
  ["op:bmm", "op:aten.bmm.default"],
  ["kind:mat", "kind:matrix"],
  ["role:par", "role:parameter"],
  ["in:lm", "in:lm_head"],
  ["dtype:f", "dtype:f32"],
  ["zzz", "nothing"],
])("%s", (text, after) => expect(taken(text)).toBe(after));

test("each completion of a value finds as many nodes as it counts", async () => {
  const snapshot = await readCorpus("llama32.core");
  const searcher = new Searcher(snapshot);
  for (const key of ["op", "shape", "dtype", "kind"]) {
    for (const { text, note } of new Completer(snapshot).at(`${key}:`, key.length + 1)) {
      if (note === "") continue;
      const found = await searcher.find(`${key}:${text}`);
      expect(found.length.toLocaleString("en-US"), `${key}:${text}`).toBe(note);
    }
  }
});
