/** An op's schema, as torch writes it → the names, types and defaults of its arguments. */

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isKeyword: boolean;
  /** As text; undefined if it is required. */
  readonly fallback?: string;
}

/** "aten::mm(Tensor self, Tensor mat2) -> Tensor" → self, mat2. Empty if it is not a schema. */
export function parameters(schema: string): Parameter[] {
  const open = schema.indexOf("(");
  const close = matching(schema, open);
  if (open < 0 || close < 0) return [];
  const found: Parameter[] = [];
  let isKeyword = false;
  for (const part of split(schema.slice(open + 1, close))) {
    if (part === "*") {
      isKeyword = true;
      continue;
    }
    const [, type = "", name = "", fallback] = /^(.*\S)\s+(\w+)\s*(?:=\s*(.*))?$/s.exec(part) ?? [];
    if (name) found.push({ name, type, isKeyword, ...(fallback !== undefined && { fallback }) });
  }
  return found;
}

/** At commas outside brackets and quotes. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (quote) {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()].filter(Boolean);
}

function matching(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at >= 0 && at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
  return -1;
}
