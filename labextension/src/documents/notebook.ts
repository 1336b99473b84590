/** The notebook for further work on a document: it loads the file and says what it would execute. */

interface Kernelspec {
  readonly name: string;
  readonly display_name: string;
}

const LIVE = `# To lower, run or profile the program, make it live. This can EXECUTE CODE from the file, because
# torch.export.load unpickles objects and evaluates expressions. Only do it for a file that you trust:
#
#     session = exir_viz.Session(exir_viz.open_program(FILE, trust=True))
#     session`;

/** In nbformat 4.5. `file` is in the same folder as the notebook. */
export function notebookFor(file: string, kernelspec?: Kernelspec): Record<string, unknown> {
  const load = file.endsWith(".exirprofile") ? "load_profile" : "load";
  const cells = [
    markdown(`# ${plain(file)}\n\n\`exir_viz.${load}\` reads the file as data: nothing in it is executed.`),
    code(`import exir_viz\n\nFILE = ${pythonString(file)}\nexir_viz.explore(exir_viz.${load}(FILE))`),
    ...(file.endsWith(".pt2") ? [code(LIVE)] : []),
  ];
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: kernelspec ? { kernelspec } : {},
    cells: cells.map((cell, i) => ({ id: `exir-viz-${i}`, metadata: {}, ...cell })),
  };
}

const markdown = (source: string) => ({ cell_type: "markdown", source });
const code = (source: string) => ({ cell_type: "code", source, execution_count: null, outputs: [] });

/** JSON strings are valid in Python, except lone surrogates, which no file name has. */
const pythonString = (text: string): string => JSON.stringify(text);

/** A file name escaped for Markdown. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]()#+!|<>&~$-]/g, "\\$&").replace(/\s/g, " ");
