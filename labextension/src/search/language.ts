/**
 * The query language as data: its keys, their types, and an example of each. The parser, the completions, the
 * help panel and docs/search.md all read this table; nothing else knows a key.
 */
import { OP_KINDS } from "../snapshot";

/** What follows a key: a pattern, a comparison of numbers, or one of several words. */
type KeyType = "text" | "number" | "bytes" | "word";

export interface Key {
  readonly key: string;
  readonly type: KeyType;
  readonly meaning: string;
  readonly example: string;
  /** The words that a key of type "word" accepts. */
  readonly words?: readonly string[];
  /** Whether it reads the detail, which is loaded on demand. */
  readonly needsDetail?: boolean;
}

const ROLES = [
  "input",
  "parameter",
  "buffer",
  "constant",
  "object",
  "token",
  "attribute",
  "output",
  "op",
] as const;

export type Role = (typeof ROLES)[number];

export const STATES = [
  "mutated",
  "symbolic",
  "unused",
  "shared",
  "assert",
  "holder",
  "nested",
  "grad",
] as const;

export type State = (typeof STATES)[number];

export const KEYS = [
  { key: "op", type: "text", meaning: "the op: its name or full name", example: "op:aten.mm" },
  { key: "name", type: "text", meaning: "the node's name", example: "name:mm_*" },
  { key: "in", type: "text", meaning: "inside this module, at any depth", example: "in:layers.3" },
  { key: "class", type: "text", meaning: "the class of an enclosing module", example: "class:*Attention" },
  { key: "kind", type: "word", meaning: "the kind of op", example: "kind:matrix", words: OP_KINDS },
  { key: "dtype", type: "text", meaning: "the dtype of its value, short or long", example: "dtype:f32" },
  {
    key: "shape",
    type: "text",
    meaning: "the shape, such as 1x64; * matches any sizes, ? one size",
    example: "shape:*x64",
  },
  { key: "rank", type: "number", meaning: "the number of dimensions", example: "rank:>3" },
  { key: "symbol", type: "text", meaning: "a symbol in its value", example: "symbol:s77" },
  { key: "bytes", type: "bytes", meaning: "the size of its value", example: "bytes:>1MB" },
  { key: "device", type: "text", meaning: "the device of its value", example: "device:cpu" },
  { key: "users", type: "number", meaning: "the number of nodes that use it", example: "users:>3" },
  { key: "inputs", type: "number", meaning: "the number of its inputs", example: "inputs:0" },
  {
    key: "role",
    type: "word",
    meaning: "its role in the signature",
    example: "role:parameter",
    words: ROLES,
  },
  {
    key: "is",
    type: "word",
    meaning:
      "mutated state, symbolic shape, unused, shared memory, run-time assert, calls a nested graph, inside one, requires grad",
    example: "is:mutated",
    words: STATES,
  },
  { key: "state", type: "text", meaning: "the state a placeholder reads", example: "state:*.weight" },
  { key: "graph", type: "text", meaning: "the graph it is in", example: "graph:true_graph_0" },
  {
    key: "file",
    type: "text",
    meaning: "a source file in its stack trace",
    example: "file:model.py",
    needsDetail: true,
  },
  {
    key: "line",
    type: "number",
    meaning: "a source line number in its stack trace",
    example: "file:model.py line:164",
    needsDetail: true,
  },
  {
    key: "code",
    type: "text",
    meaning: "the text of a source line in its stack trace",
    example: 'code:"self.norm("',
    needsDetail: true,
  },
] as const satisfies readonly Key[];

export type KeyName = (typeof KEYS)[number]["key"];

export const keyOf = (name: string): Key | undefined => KEYS.find((each) => each.key === name);

/** The rest of the language, in the order of learning it. */
export const GRAMMAR: readonly { readonly form: string; readonly meaning: string }[] = [
  { form: "norm", meaning: "a word in the name, the op or the module path" },
  { form: '"two words"', meaning: "exactly this text, with spaces" },
  { form: "/^mm_\\d+$/", meaning: "a regular expression; also after a key: name:/…/" },
  { form: "a b", meaning: "both" },
  { form: "a OR b", meaning: "either (a space binds tighter)" },
  { form: "-a", meaning: "not" },
  { form: "(a OR b) c", meaning: "grouped" },
  { form: "*", meaning: "after a key: any text; without it, the whole value must match" },
  { form: ">3  <=3  3..5", meaning: "numbers; bytes take B, KB, MB, GB" },
];

/** The language as the page docs/search.md, from the table that the parser reads. */
export function languageMarkdown(): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const code = (text: string): string => `\`${cell(text)}\``;
  const keys = KEYS.map(({ key, meaning, example, ...rest }) => {
    const words = "words" in rest ? `: ${rest.words.map(code).join(", ")}` : "";
    return `| ${code(`${key}:`)} | ${cell(meaning)}${words} | ${code(example)} |`;
  });
  const forms = GRAMMAR.map(({ form, meaning }) => `| ${code(form)} | ${cell(meaning)} |`);
  return `# Searching

Find nodes by name, op, module, shape, source line and more.

![The query op:linear in:layers.0 highlights matching nodes](pictures/search.webp)

Type words and \`key:value\` terms into the search box. Matches are listed, counted and highlighted in the graph;
<kbd>Enter</kbd> and <kbd>Shift Enter</kbd> step through them.

| form | finds |
|---|---|
${forms.join("\n")}

| key | matches | example |
|---|---|---|
${keys.join("\n")}

Search ignores case. \`file:\`, \`line:\` and \`code:\` search stack traces; used together, they must match the same
line of a trace.

| limit | |
|---|---|
| regular expressions that could run forever | refused, with the reason: nested repeats (\`(a+)+\`), repeated alternatives (\`(a\\|b)*\`), a backreference, or more than three unbounded repeats |
| other regular expressions | compared with the first 200 characters of a text |
| slow searches | stop with a message |
`;
}
