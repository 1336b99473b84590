/** The notebook for further work on a document: it loads the file and says what it would execute. */
import type { Translation } from "../hosts/translation";

interface Kernelspec {
  readonly name: string;
  readonly display_name: string;
}

/** Columns of a comment. */
const WIDTH = 104;

/** In nbformat 4.5. `file` is in the same folder as the notebook. */
export function notebookFor(
  file: string,
  trans: Translation,
  kernelspec?: Kernelspec,
): Record<string, unknown> {
  const { reader, shown } = readingOf(file);
  const safe = trans.__("%1 reads the file as data and executes nothing in it.", `\`exir_viz.${reader}\``);
  const cells = [
    markdown(`# ${plain(file)}\n\n${safe}`),
    code(`import exir_viz\n\nFILE = ${pythonString(file)}\n${shown}`),
    ...(file.endsWith(".pt2") ? [code(liveCode(trans))] : []),
  ];
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: kernelspec ? { kernelspec } : {},
    cells: cells.map((cell, i) => ({ id: `exir-viz-${i}`, metadata: {}, ...cell })),
  };
}

/** The function that reads a file, and the line that shows it. A `.exirviz` file may have several stages. */
function readingOf(file: string): { readonly reader: string; readonly shown: string } {
  if (file.endsWith(".exirviz")) return { reader: "explore", shown: "exir_viz.explore(FILE)" };
  return { reader: "load", shown: "exir_viz.explore(exir_viz.load(FILE))" };
}

/** How to make the program live. All of it is a comment: the user removes the marks of its last lines. */
function liveCode(trans: Translation): string {
  const warning = trans.__(
    "To lower, run or profile the program, make it live. This can EXECUTE CODE from the file, because %1 unpickles objects and evaluates expressions. Only do it for a file that you trust:",
    "torch.export.load",
  );
  const lines = [
    ...wrapped(warning, WIDTH - 2),
    "",
    "    session = exir_viz.load(FILE, trust=True).session",
    "    session",
  ];
  return lines.map((line) => `# ${line}`.trimEnd()).join("\n");
}

/** Lines of whole words, at most this long where no word is longer. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const markdown = (source: string) => ({ cell_type: "markdown", source });
const code = (source: string) => ({ cell_type: "code", source, execution_count: null, outputs: [] });

/** JSON strings are valid in Python, except lone surrogates, which no file name has. */
export const pythonString = (text: string): string => JSON.stringify(text);

/** A file name escaped for Markdown. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]()#+!|<>&~$-]/g, "\\$&").replace(/\s/g, " ");
