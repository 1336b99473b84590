/**
 * Lists exports that no other file imports, and fails if there are any.
 *
 * Names are followed from file to file: a name that an index re-exports counts only if somebody imports it
 * from there. Types generated from Python (schema.ts, messages.ts) are left out, and so are default exports:
 * hosts load those.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import ts from "typescript";

const configFile = ts.readConfigFile("tsconfig.json", ts.sys.readFile).config;
const { options } = ts.parseJsonConfigFileContent(configFile, ts.sys, ".");
const EXTENSIONS = [".ts", ".tsx"];
const sources = ts.sys.readDirectory("src", EXTENSIONS);
const importers = ["src", "tests", "gallery", "scripts"].flatMap((folder) =>
  ts.sys.readDirectory(folder, [...EXTENSIONS, ".mjs"]),
);

/**
 * By file and name: its position, and what it re-exports. @type {Map<string, {place: string, from?: string}>}
 */
const exported = new Map();
/** @type {Set<string>} */
const used = new Set();
/** Files whose exports may all be used: by `import * as`, `import()` or a type import. @type {Set<string>} */
const usedWhole = new Set();
/** By file, the files of `export * from`. @type {Map<string, string[]>} */
const handsOnAll = new Map();

/** @param {string} file @param {string} name */
const key = (file, name) => `${relative(".", file)}#${name}`;

for (const file of importers) read(file, sources.includes(file));

/** @param {string} file @param {boolean} isSource */
function read(file, isSource) {
  const text = readFileSync(file, "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @param {ts.Expression | undefined} specifier */
  const resolved = (specifier) =>
    specifier && ts.isStringLiteralLike(specifier)
      ? ts.resolveModuleName(specifier.text, file, options, ts.sys).resolvedModule?.resolvedFileName
      : undefined;
  /** @param {ts.Node} name @param {string} [from] */
  const add = (name, from) => {
    const { line } = tree.getLineAndCharacterOfPosition(name.getStart());
    const place = `${relative(".", file)}:${line + 1} ${name.getText()}`;
    if (isSource) exported.set(key(file, name.getText()), { place, ...(from && { from }) });
  };

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      const target = resolved(node.moduleSpecifier);
      const bindings = node.importClause?.namedBindings;
      if (target && bindings && ts.isNamedImports(bindings))
        for (const { propertyName, name } of bindings.elements)
          used.add(key(target, (propertyName ?? name).text));
      else if (target && bindings) usedWhole.add(target);
    } else if (ts.isExportDeclaration(node)) {
      const target = resolved(node.moduleSpecifier);
      if (target && !node.exportClause) handsOnAll.set(file, [...(handsOnAll.get(file) ?? []), target]);
      else if (node.exportClause && ts.isNamedExports(node.exportClause))
        for (const { propertyName, name } of node.exportClause.elements)
          add(name, target && key(target, (propertyName ?? name).text));
    } else if (ts.isImportTypeNode(node)) {
      const target = ts.isLiteralTypeNode(node.argument) && resolved(node.argument.literal);
      if (target) usedWhole.add(target);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const target = resolved(node.arguments[0]);
      if (target) usedWhole.add(target);
    } else if (ts.canHaveModifiers(node)) {
      const kinds = ts.getModifiers(node)?.map(({ kind }) => kind) ?? [];
      if (kinds.includes(ts.SyntaxKind.ExportKeyword) && !kinds.includes(ts.SyntaxKind.DefaultKeyword)) {
        if (ts.isVariableStatement(node)) for (const { name } of node.declarationList.declarations) add(name);
        else if ("name" in node && node.name) add(/** @type {ts.Node} */ (node.name));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
}

/** A name that is used through an index is used in its own file. */
function follow() {
  for (const one of exported.keys()) if (whole.has(one.split("#")[0] ?? "")) used.add(one);
  const open = [...used];
  for (let one = open.pop(); one; one = open.pop()) {
    const [file = "", name = ""] = one.split("#");
    const from = exported.get(one)?.from;
    const next = [
      ...(from ? [from] : []),
      ...(handsOnAll.get(file) ?? []).map((target) => key(target, name)),
    ];
    for (const each of next)
      if (!used.has(each)) {
        used.add(each);
        open.push(each);
      }
  }
}
const whole = new Set([...usedWhole].map((file) => relative(".", file)));
follow();

const unused = [...exported].filter(([one]) => {
  const [file = ""] = one.split("#");
  return !used.has(one) && !readFileSync(file, "utf8").includes("python -m exir_viz.typescript");
});
for (const [, { place }] of unused) process.stdout.write(`unused export: ${place}\n`);
process.exitCode = unused.length > 0 ? 1 : 0;
