/**
 * Regular expressions that someone typed, or a link carried: no text may make one of them run for ever. Those whose
 * time doubles with each character are refused; the others look at short texts, and give up together in time.
 */
import type { Test } from "./pattern";

/** Of longer texts, the beginning is looked at. */
const LONGEST = 200;
/** Repeats without an end: each makes the time grow by one more power of a text's length. */
const MOST_REPEATS = 3;
/** Milliseconds for all texts of one question, and how many of them go by between looks at the clock. */
const BUDGET = 700;
const BETWEEN_LOOKS = 64;

export class SlowSearch extends Error {
  override readonly name = "SlowSearch";
}

interface Group {
  hasRepeat: boolean;
  hasChoice: boolean;
}

/** What could take for ever, in words; undefined for what cannot. */
export function riskOf(source: string): string | undefined {
  const groups: Group[] = [{ hasRepeat: false, hasChoice: false }];
  const inner = (): Group => groups[groups.length - 1] as Group;
  let repeats = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") {
      at++;
      if (/[1-9k]/.test(source[at] ?? "")) return "it has a backreference";
    } else if (char === "[") at = endOfClass(source, at);
    else if (char === "(") groups.push({ hasRepeat: false, hasChoice: false });
    else if (char === "|") inner().hasChoice = true;
    else if (char === ")") {
      const group = groups.pop() as Group;
      if (repeatAt(source, at + 1) !== undefined && group.hasRepeat) return "it nests repeats";
      if (repeatAt(source, at + 1) !== undefined && group.hasChoice) return "it repeats alternatives";
      if (groups.length === 0) return undefined; // it is none, and said to be none elsewhere
      inner().hasRepeat ||= group.hasRepeat;
      inner().hasChoice ||= group.hasChoice;
    }
    const repeat = char === "(" || char === "|" ? undefined : repeatAt(source, at + 1);
    if (repeat !== undefined) {
      inner().hasRepeat = true;
      if (repeat !== "?" && ++repeats > MOST_REPEATS) return `it has more than ${MOST_REPEATS} repeats`;
      at += repeat.length;
      if (source[at + 1] === "?") at++; // lazy
    }
  }
  return undefined;
}

/** The repeat that begins there: "*", "+", "?", "{2,}". */
const repeatAt = (source: string, at: number): string | undefined =>
  /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(source.slice(at, at + 24))?.[0];

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at;
  }
  return source.length;
}

/** A test that throws SlowSearch once all its texts together took too long. */
export function timed(regex: RegExp, now: () => number = () => performance.now()): Test {
  let calls = 0;
  let end = Number.POSITIVE_INFINITY;
  return (text) => {
    if (calls === 0) end = now() + BUDGET;
    else if (calls % BETWEEN_LOOKS === 0 && now() > end) {
      throw new SlowSearch(
        `/${regex.source}/ is too slow: the search stopped after ${calls} texts. Start it with ^, or make it more specific.`,
      );
    }
    calls++;
    return regex.test(text.length > LONGEST ? text.slice(0, LONGEST) : text);
  };
}
