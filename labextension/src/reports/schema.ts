/**
 * What an analysis says of a program. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

/** The worst first. */
export const OUTCOMES = ["error", "warning", "note", "fine"] as const;

/**
 * How bad it is: of a row, and of a report as a whole, in that order.
 *
 * Examples
 * --------
 * >>> [outcome.value for outcome in exir_viz.reports.Outcome]
 * ['error', 'warning', 'note', 'fine']
 */
export type Outcome = "error" | "warning" | "note" | "fine";

/**
 * What the numbers of a column are: it decides how they are written.
 *
 * A `size` is that of the row's formula, and a page writes it for the sizes that are tried.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Column("weights", exir_viz.reports.Unit.BYTES).unit.value
 * 'bytes'
 */
export type Unit = "text" | "count" | "bytes" | "share" | "seconds" | "decibels" | "size";

/**
 * A column of a section: its name, and what its cells are.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Column("why").unit.value
 * 'text'
 */
export interface Column {
  readonly name: string;
  readonly unit?: Unit;
}

/**
 * One line of the head: "delegated: 266 of 377 ops". `nodes` are the ids of those it is about.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Fact("delegated", "0 of 3 ops").label
 * 'delegated'
 */
export interface Fact {
  readonly label: string;
  readonly text: string;
  readonly nodes?: readonly string[];
}

/**
 * An expression of symbols, as text and as a page evaluates it (`exir_viz.snapshot.expr.postfix`).
 *
 * `postfix` is empty for what a page does not evaluate. `is_condition`: the program requires that it holds,
 * and a page refuses sizes for which it does not.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Formula("2*batch", "2 batch Mul:2").expr
 * '2*batch'
 */
export interface Formula {
  readonly expr: string;
  readonly postfix?: string;
  readonly is_condition?: boolean;
}

/**
 * One statement about some nodes.
 *
 * Attributes
 * ----------
 * title
 *     What it is about: an operator, a rule, a file's part.
 * reason
 *     Why it is so.
 * remedy
 *     What to do about it.
 * severity
 *     How bad it is.
 * nodes
 *     The ids of the nodes.
 * texts
 *     What there is to say of each node; empty, or as long as `nodes`.
 * places
 *     The user's line that made each node ("model.py:12"); `registry.run` fills them in.
 * values
 *     The cells of the section's columns.
 * name, section, url
 *     The rule that it breaks, and the document that states the rule.
 * formula
 *     A size or a condition that follows the sliders.
 * query
 *     What to search for in the explorer to find all nodes, where `nodes` are only the important ones.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Row("cast", severity=exir_viz.reports.Outcome.NOTE).severity.value
 * 'note'
 */
export interface Row {
  readonly title: string;
  readonly reason?: string;
  readonly remedy?: string;
  readonly severity?: Outcome;
  readonly nodes?: readonly string[];
  readonly texts?: readonly string[];
  readonly places?: readonly string[];
  readonly values?: readonly (string | number | null)[];
  readonly name?: string;
  readonly section?: string;
  readonly url?: string;
  readonly formula?: Formula;
  readonly query?: string;
}

/**
 * Rows under a title, what matters most first. `note` is said once, above them.
 *
 * Examples
 * --------
 * >>> len(exir_viz.reports.Section("Casts", (exir_viz.reports.Row("to"),)).rows)
 * 1
 */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns?: readonly Column[];
  readonly note?: string;
}

/**
 * One color of the overlay that a report offers: what it means, and the nodes that have it.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Category("in place", ("forward/b_cache",)).label
 * 'in place'
 */
export interface Category {
  readonly label: string;
  readonly nodes: readonly string[];
}

/**
 * A symbol whose size can be tried in a page: its range, None where it has no end, and an example.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Slider("batch", lower=2, example=4).upper is None
 * True
 */
export interface Slider {
  readonly name: string;
  readonly lower?: number;
  readonly upper?: number;
  readonly example?: number;
}

/**
 * What became of a line: its sign, its name in a legend, and what that means.
 *
 * `color` is a tone that the theme chooses: "green", "orange", "blue", "red", or none.
 *
 * Examples
 * --------
 * >>> exir_viz.reports.Mark("●", "traced", color="green").label
 * 'traced'
 */
export interface Mark {
  readonly sign: string;
  readonly label: string;
  readonly about?: string;
  readonly color?: string;
}

/**
 * Lines of one of the user's files, as columns.
 *
 * Attributes
 * ----------
 * file
 *     Its path.
 * numbers, texts
 *     The lines.
 * marks
 *     What became of each: an index into `Report.marks`, or -1.
 * notes
 *     What there is to say of each.
 * ops, bytes
 *     Of the nodes that each made itself or in what it calls: how many, and what they read and write.
 * nodes
 *     The ids of the nodes that each made itself.
 * shares
 *     The part of a measured run that those of `ops` take, 0 to 1; empty without a profile.
 * note
 *     What a reader must know of the file.
 *
 * Examples
 * --------
 * >>> report = exir_viz.reports.run("source", snapshot)
 * >>> [len(file.numbers) == len(file.texts) for file in report.sources]
 * [True]
 */
export interface SourceFile {
  readonly file: string;
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  readonly marks: readonly number[];
  readonly notes: readonly string[];
  readonly ops: readonly number[];
  readonly bytes: readonly number[];
  readonly nodes: readonly (readonly string[])[];
  readonly shares?: readonly number[];
  readonly note?: string;
}

/**
 * What an analysis says of a program.
 *
 * Print it, or read `.headline`, `.sections`, `.rows()`, `.frame`, `.to_json()`, `.to_sarif()`.
 *
 * Attributes
 * ----------
 * headline
 *     The outcome in one sentence: "111 of 377 ops run on the CPU".
 * outcome
 *     The worst that was found.
 * facts
 *     What is true of the program as a whole.
 * sections
 *     The rows.
 * overlay
 *     Colours for nodes, with their legend.
 * unexamined
 *     What was not looked at, and why: a sentence each.
 * sliders
 *     The symbols that the formulas of rows are evaluated for.
 * sources, marks
 *     The user's files, and what the marks of their lines mean.
 * name, title, about, program
 *     The analysis ("size", "Size"), the question that it answers, and what it looked at ("model.pt2");
 *     `registry.run` fills them in.
 *
 * Examples
 * --------
 * >>> report = exir_viz.reports.run("size", snapshot)
 * >>> report.outcome.value
 * 'fine'
 */
export interface Report {
  readonly headline: string;
  readonly outcome?: Outcome;
  readonly facts?: readonly Fact[];
  readonly sections?: readonly Section[];
  readonly overlay?: readonly Category[];
  readonly unexamined?: readonly string[];
  readonly sliders?: readonly Slider[];
  readonly sources?: readonly SourceFile[];
  readonly marks?: readonly Mark[];
  readonly name?: string;
  readonly title?: string;
  readonly about?: string;
  readonly program?: string;
}

export const RECORDS = {
  Category: {
    label: "string",
    nodes: "string[]",
  },
  Column: {
    name: "string",
    "unit?": "string",
  },
  Fact: {
    label: "string",
    text: "string",
    "nodes?": "string[]",
  },
  Formula: {
    expr: "string",
    "postfix?": "string",
    "is_condition?": "boolean",
  },
  Mark: {
    sign: "string",
    label: "string",
    "about?": "string",
    "color?": "string",
  },
  Report: {
    headline: "string",
    "outcome?": "string",
    "facts?": "Fact[]",
    "sections?": "Section[]",
    "overlay?": "Category[]",
    "unexamined?": "string[]",
    "sliders?": "Slider[]",
    "sources?": "SourceFile[]",
    "marks?": "Mark[]",
    "name?": "string",
    "title?": "string",
    "about?": "string",
    "program?": "string",
  },
  Row: {
    title: "string",
    "reason?": "string",
    "remedy?": "string",
    "severity?": "string",
    "nodes?": "string[]",
    "texts?": "string[]",
    "places?": "string[]",
    "values?": "(string | number | null)[]",
    "name?": "string",
    "section?": "string",
    "url?": "string",
    "formula?": "Formula | null",
    "query?": "string",
  },
  Section: {
    title: "string",
    rows: "Row[]",
    "columns?": "Column[]",
    "note?": "string",
  },
  Slider: {
    name: "string",
    "lower?": "number | null",
    "upper?": "number | null",
    "example?": "number | null",
  },
  SourceFile: {
    file: "string",
    numbers: "number[]",
    texts: "string[]",
    marks: "number[]",
    notes: "string[]",
    ops: "number[]",
    bytes: "number[]",
    nodes: "string[][]",
    "shares?": "number[]",
    "note?": "string",
  },
} as const;
