import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import source from "./doubling.worker?source";

type WorkerScope = {
  posted: number[];
  onmessage?: (event: { data: number }) => void;
  postMessage(value: number): void;
};

test("a worker imported as source is one standalone script", () => {
  const scope: WorkerScope = { posted: [], postMessage: (value) => scope.posted.push(value) };
  runInNewContext(source, scope);
  scope.onmessage?.({ data: 21 });
  expect(scope.posted).toEqual([42]);
  expect(source).not.toMatch(/\bimport\b|\brequire\b/);
});
