/** The language as the page docs/search.md: made from the table that the parser reads. */
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

The search box of the explorer takes words and \`key:value\` terms. What matches is listed, counted, stepped through
with Enter and Shift-Enter, and marked in the picture.

| form | finds |
|---|---|
${forms.join("\n")}

| key | what it looks at | example |
|---|---|---|
${keys.join("\n")}

Case makes no difference. \`file:\`, \`line:\` and \`code:\` look at stack traces; terms that stand side by side are
about the same line of a trace.

A regular expression that could run for ever is refused, with the reason: one that repeats what repeats already
(\`(a+)+\`), repeats a choice (\`(a|b)*\`), refers back to a group, or has more than three repeats without an end. The
others look at the first 200 characters of a text; a search that takes too long is stopped, and says so.
`;
}
