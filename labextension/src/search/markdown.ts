/** The language as the page docs/search.md, from the table that the parser reads. */
import { GRAMMAR, KEYS } from "./language";

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
