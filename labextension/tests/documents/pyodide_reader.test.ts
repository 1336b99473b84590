import { expect, test } from "vitest";
import { serveReader } from "../../src/documents/pyodide/reader";
import type { ReaderResponse } from "../../src/documents/pyodide/schema";

test("the worker refuses a message that is no request", () => {
  const responses: ReaderResponse[] = [];
  let listener: (event: MessageEvent<unknown>) => void = () => undefined;
  serveReader({
    fetch,
    postMessage: (response) => responses.push(response),
    addEventListener: (_, listen) => {
      listener = listen;
    },
  });
  listener({ data: { kind: "read", id: 1 } } as MessageEvent<unknown>);
  expect(responses).toEqual([{ kind: "failed", reason: "The page sent an invalid message." }]);
});
