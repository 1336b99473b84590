/**
 * Regular expressions from users or links: none may run forever. Those whose time doubles with each character
 * are refused; the others only get short texts and have a total time limit.
 */
import type { Test } from "./pattern";

/** Of longer texts only this much is tested. */
const LONGEST = 200;
/** Repeats without an upper limit: each multiplies the time by the text's length. */
const MOST_REPEATS = 3;
/** Milliseconds for all texts of one query, and how many texts are tested between looks at the clock. */
const BUDGET = 700;
const BETWEEN_LOOKS = 64;

export class SlowSearch extends Error {
  override readonly name = "SlowSearch";
}

interface Group {
  hasRepeat: boolean;
  hasChoice: boolean;
}

/** Why an expression could run forever; undefined if it cannot. */
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
      if (groups.length === 0) return undefined; // it is invalid, and reported elsewhere
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

/** The repeat at a position: "*", "+", "?", "{2,}". */
const repeatAt = (source: string, at: number): string | undefined =>
  /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(source.slice(at, at + 24))?.[0];

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at;
  }
  return source.length;
}

/** A test that throws SlowSearch when all its texts together took too long. */
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
