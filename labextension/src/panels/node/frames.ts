/** The position of a node in the user's files: its frames, and the lines around one of them. */
import type { Detail, Frame } from "../../snapshot";
import type { CellLine } from "../../ui/actions";

interface SourceLine {
  readonly number: number;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** The lines up to `around` away from a frame's, if saved; else the line in the trace. */
export function linesAround(detail: Detail, frame: Frame, around: number): SourceLine[] {
  const source = detail.sources?.find(({ file }) => file === frame.file);
  const found: SourceLine[] = [];
  source?.lines.forEach((number, i) => {
    if (Math.abs(number - frame.line) > around) return;
    found.push({ number, text: source.text[i] ?? "", isCurrent: number === frame.line });
  });
  if (found.some(({ isCurrent }) => isCurrent)) return dedented(found);
  return frame.code
    ? frame.code
        .split("\n")
        .map((text, i) => ({ number: frame.line + i, text: text.trimEnd(), isCurrent: i === 0 }))
    : [];
}

/** A frame's line in a notebook's cell, with the lines of the cell that are saved. */
export function cellLine({ sources = [] }: Detail, { file, line, code }: Frame): CellLine {
  const text = new Map<number, string>();
  if (code) text.set(line, code.split("\n")[0] ?? "");
  const source = sources.find((each) => each.file === file);
  source?.lines.forEach((number, i) => {
    text.set(number, source.text[i] ?? "");
  });
  return { line, text };
}

/** Without the common indentation. */
function dedented(lines: readonly SourceLine[]): SourceLine[] {
  const widths = lines
    .filter(({ text }) => text.trim())
    .map(({ text }) => text.length - text.trimStart().length);
  const shared = Math.min(...widths);
  return lines.map((line) => ({ ...line, text: line.text.slice(shared) }));
}
