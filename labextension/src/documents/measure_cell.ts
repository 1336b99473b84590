/** The cell that measures the program of a file: reading a file runs nothing. */
import type { Translation } from "../hosts/translation";
import { pythonString } from "./notebook";

/** "" for a file without a program that Python could run. */
export function howToMeasure(file: string, trans: Translation): string {
  const cell = cellFor(file);
  return (
    cell &&
    trans.__("A file is read and not run. If you trust it, measure it with a cell in a notebook: %1", cell)
  );
}

function cellFor(file: string): string {
  const path = pythonString(file);
  if (file.endsWith(".pt2"))
    return `import exir_viz; exir_viz.explore(exir_viz.profile(exir_viz.open_program(${path}, trust=True)))`;
  if (file.endsWith(".pte") || file.endsWith(".bpte"))
    return `import exir_viz; exir_viz.explore(exir_viz.measure.profile_file(${path}, trust=True))`;
  return "";
}
