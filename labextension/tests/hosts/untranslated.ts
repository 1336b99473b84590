/** Finds texts in a source that a user reads and that do not go through the translator. */
import ts from "typescript";

/** Two words, or one with a capital letter: names of classes, events and fields have another form. */
const PROSE = /\p{L}{2,}[^\p{L}\s]*\s+[^\s]*\p{L}|^\p{Lu}\p{Ll}+…?$/u;
/** Whatever is written here is seen, even one lowercase word. */
const SEEN = new Set([
  "alt",
  "ariaLabel",
  "caption",
  "displayName",
  "innerText",
  "label",
  "placeholder",
  "reason",
  "remedy",
  "textContent",
  "title",
  "tooltip",
]);
const SEEN_ATTRIBUTES = new Set(["alt", "aria-label", "placeholder", "title"]);
const TRANSLATES = new Set(["__", "_n", "_p", "_np"]);

/** "12: Try again": the lines and texts of literals that are seen and not translated. */
export function untranslatedLiterals(source: string): string[] {
  const tree = ts.createSourceFile("source.tsx", source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (node: ts.Node, text: string): void => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${line + 1}: ${text}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (isTranslation(node)) {
      // Language packs are made from the literals of a source.
      const [first] = node.arguments;
      if (first && !ts.isStringLiteralLike(first)) add(first, `${first.getText()} is not a literal`);
      return;
    }
    const text = textOf(node);
    if (text !== undefined && (PROSE.test(text) || (/\p{L}/u.test(text) && isSeen(node)))) {
      add(node, text);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** `trans.__("…")`, whose placeholders are filled with what is not translated: names and code. */
const isTranslation = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  TRANSLATES.has(node.expression.name.text);

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isJsxText(node)) return node.text.trim();
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

function isSeen(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isJsxText(node)) return true;
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) return isSeen(parent);
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node && SEEN.has(parent.name.getText());
  if (ts.isJsxAttribute(parent)) return SEEN.has(parent.name.getText()) || isAttribute(parent.name.getText());
  if (ts.isBinaryExpression(parent)) {
    const { left, operatorToken } = parent;
    if (operatorToken.kind !== ts.SyntaxKind.EqualsToken) return false;
    return ts.isPropertyAccessExpression(left) && SEEN.has(left.name.text);
  }
  if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
  const [name, value] = parent.arguments;
  if (parent.expression.name.text !== "setAttribute" || value !== node) return false;
  return name !== undefined && ts.isStringLiteral(name) && isAttribute(name.text);
}

const isAttribute = (name: string): boolean => SEEN_ATTRIBUTES.has(name);
