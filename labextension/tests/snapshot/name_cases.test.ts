/** Names of symbols, modules and attribution, by the cases that Python generates: `tests/cases/names.py`. */
import { expect, test } from "vitest";
import { ModuleAttribution } from "../../src/compare/model/module_attribution";
import { modulePath } from "../../src/picture/rollup";
import { Snapshot } from "../../src/snapshot";
import { userNames, withUserNames } from "../../src/snapshot/names";
import { asPageSkeleton } from "../../src/snapshot/narrow";
import { doesWork, isInstruction, opKind, opName } from "../../src/snapshot/opkind";
import type { MethodRecord, Target } from "../../src/snapshot/schema";
import { cases } from "../cases";

const { symbols = [], "module paths": paths = [], ops = [], attribution = [] } = cases("names");

test.each(symbols)("with symbols %j, %s is %s", (given, text, expected) => {
  const named = (given as [string, string][]).map(([name, dim]) => ({ name, dim }));
  const names = userNames([{ symbols: named } as unknown as MethodRecord]);
  expect(withUserNames(text as string, names)).toBe(expected);
});

test.each(paths)("%j has the path %j", (path, expected) => {
  expect(modulePath(path as string)).toBe(expected);
});

test.each(ops)("%s of %j is of kind %s and named %j", (op, target, kind, name, isOne, works) => {
  expect(opKind(op as "call_function", target as Target)).toBe(kind);
  expect(opName(target as Target)).toBe(name);
  expect(isInstruction(target as Target)).toBe(isOne);
  expect(doesWork(target as Target)).toBe(works);
});

test.each(attribution)("nodes are attributed to the same modules as in Python (%#)", (skeleton, expected) => {
  const snapshot = new Snapshot(asPageSkeleton(skeleton), () => Promise.reject(new Error("no detail")));
  const modules = new ModuleAttribution(snapshot);
  const found = Array.from({ length: snapshot.nodeCount }, (_, node) => [
    snapshot.id(node),
    modules.of(node),
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
});
