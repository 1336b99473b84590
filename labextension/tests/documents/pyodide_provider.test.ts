import { expect, test } from "vitest";
import { UnreadableFile } from "../../src/documents/provider";
import { asRequest, asResponse } from "../../src/documents/pyodide/protocol";
import { type Port, PyodideProvider, type ReaderState } from "../../src/documents/pyodide/provider";
import type { ReaderRequest, ReaderResponse } from "../../src/documents/pyodide/schema";
import { ENGLISH } from "../../src/hosts/translation";

class FakePort implements Port {
  onmessage: Port["onmessage"] = null;
  onerror: Port["onerror"] = null;
  readonly requests: ReaderRequest[] = [];
  isTerminated = false;

  postMessage(request: ReaderRequest): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  say(data: ReaderResponse): void {
    this.onmessage?.({ data } as MessageEvent<ReaderResponse>);
  }

  get reads() {
    return this.requests.filter((request) => request.kind === "read");
  }
}

function provider(patience = 60_000) {
  const ports: FakePort[] = [];
  const states: ReaderState[] = [];
  const make = (): Port => {
    const port = new FakePort();
    ports.push(port);
    return port;
  };
  const files = new Map([
    ["1/a.pt2", new Blob(["a"])],
    ["2/b.pt2", new Blob(["b"])],
  ]);
  const site = { reader: { "python/one": 30, "python/two": 12 } };
  const made = new PyodideProvider(
    make,
    "http://site/",
    site,
    async (path) => files.get(path) ?? Promise.reject(new Error(`${path} is gone`)),
    ENGLISH,
    (state) => states.push(state),
    patience,
  );
  return { made, ports, states };
}

const answer = (id: number, text = "ok"): ReaderResponse => ({
  kind: "answer",
  id,
  bytes: new TextEncoder().encode(text),
});
const calm = (): Promise<void> => new Promise((done) => setTimeout(done));
const { signal } = new AbortController();

test("Python is loaded once, and both files of a diff are sent", async () => {
  const { made, ports, states } = provider();
  made.start();
  made.start();
  const reading = made.diff("1/a.pt2", "2/b.pt2", signal);
  await calm();
  expect(ports.length).toBe(1);
  expect(ports[0]?.requests[0]).toEqual({ kind: "start", base: "http://site/", bytes: 42 });
  ports[0]?.say({ kind: "progress", loaded: 0.5 });
  ports[0]?.say({ kind: "ready" });
  const [read] = ports[0]?.reads ?? [];
  expect(read?.files.map(({ folder, name }) => `${folder}/${name}`)).toEqual(["0/a.pt2", "1/b.pt2"]);
  ports[0]?.say(answer(read?.id ?? 0));
  expect(new TextDecoder().decode(await reading)).toBe("ok");
  expect(states.map(({ kind }) => kind)).toEqual(["loading", "loading", "ready"]);
});

test("two stages of a file are named in its request", async () => {
  const { made, ports } = provider();
  const reading = made.stages("1/a.pt2", "s0", "s2", signal);
  await calm();
  const [read] = ports[0]?.reads ?? [];
  expect(read?.files.map(({ name }) => name)).toEqual(["a.pt2"]);
  expect([read?.stages, read?.isPage]).toEqual([["s0", "s2"], false]);
  ports[0]?.say(answer(1));
  await reading;
});

test("one file is read after another", async () => {
  const { made, ports } = provider();
  const first = made.program("1/a.pt2", signal);
  const second = made.program("2/b.pt2", signal);
  await calm();
  expect(ports[0]?.reads.length).toBe(1);
  ports[0]?.say(answer(1, "first"));
  await first;
  await calm();
  expect(ports[0]?.reads.length).toBe(2);
  ports[0]?.say(answer(2, "second"));
  expect(new TextDecoder().decode(await second)).toBe("second");
});

test("a refusal has the reader's reason, and the next file is read", async () => {
  const { made, ports } = provider();
  const reading = made.program("1/a.pt2", signal).catch((error: unknown) => error);
  await calm();
  const problem = { file: "a.pt2", reason: "is cut short", remedy: "Copy it again." };
  ports[0]?.say({ kind: "problem", id: 1, problem });
  expect(((await reading) as UnreadableFile).problem).toEqual(problem);
  void made.program("2/b.pt2", signal);
  await calm();
  expect(ports[0]?.reads.length).toBe(2);
});

test("a cancelled read ends the worker, and the next one starts another", async () => {
  const { made, ports } = provider();
  const cancel = new AbortController();
  const reading = made.program("1/a.pt2", cancel.signal).catch((error: unknown) => error);
  await calm();
  cancel.abort();
  expect(await reading).toBe(cancel.signal.reason);
  expect(ports[0]?.isTerminated).toBe(true);
  const next = made.program("2/b.pt2", signal);
  await calm();
  expect(ports.length).toBe(2);
  ports[1]?.say(answer(2));
  await next;
});

test("a read that was cancelled before its turn never begins", async () => {
  const { made, ports } = provider();
  const first = made.program("1/a.pt2", signal);
  const cancel = new AbortController();
  const second = made.program("2/b.pt2", cancel.signal).catch((error: unknown) => error);
  cancel.abort();
  await calm();
  ports[0]?.say(answer(1));
  await first;
  expect(await second).toBe(cancel.signal.reason);
  expect(ports[0]?.reads.length).toBe(1);
  expect(ports[0]?.isTerminated).toBe(false);
});

test.each([
  [
    "a worker that ends",
    (port: FakePort) => port.onerror?.({ message: "memory", preventDefault: () => undefined } as ErrorEvent),
    "memory",
  ],
  ["Python that ends", (port: FakePort) => port.say({ kind: "failed", reason: "fatal" }), "fatal"],
])("%s becomes a problem with a remedy", async (_, end, reason) => {
  const { made, ports, states } = provider();
  const reading = made.program("1/a.pt2", signal).catch((error: unknown) => error);
  await calm();
  if (ports[0]) end(ports[0]);
  const thrown = await reading;
  expect(thrown).toBeInstanceOf(UnreadableFile);
  expect((thrown as UnreadableFile).problem.reason).toContain(reason);
  expect((thrown as UnreadableFile).problem.remedy).toContain("exir_viz.load");
  expect(states.at(-1)?.kind).toBe("failed");
});

test("a read that takes too long is cancelled", async () => {
  const { made, ports } = provider(20);
  const thrown = await made.program("1/a.pt2", signal).catch((error: unknown) => error);
  expect((thrown as UnreadableFile).problem.reason).toContain("it took more than 0.02 seconds");
  expect(ports[0]?.isTerminated).toBe(true);
});

test.each([
  null,
  "ready",
  {},
  { kind: "toString" },
  { kind: "progress", loaded: "1" },
  { kind: "answer", id: 1, bytes: [1, 2] },
  { kind: "problem", id: 1, problem: { file: "a", reason: "b" } },
  { kind: "read", id: 1, files: [{ folder: "0", name: "a", file: "text" }], isPage: false, stages: [] },
  { kind: "read", id: 1, files: [], isPage: false, stages: [1, 2] },
])("an invalid message is neither a response nor a request: %j", (message) => {
  expect(asResponse(message)).toBeUndefined();
  expect(asRequest(message)).toBeUndefined();
});

test("valid messages are kept as they are", () => {
  const files = [{ folder: "0", name: "a", file: new Blob() }];
  const read = { kind: "read", id: 1, files, isPage: false, stages: ["s0", "s1"] };
  const problem = { kind: "problem", id: 1, problem: { file: "a", reason: "b", remedy: "c" } };
  expect(asRequest(read)).toBe(read);
  expect(asResponse(problem)).toBe(problem);
  expect(asResponse({ kind: "ready" })).toEqual({ kind: "ready" });
});

test("an invalid message of the worker ends it, and the file says so", async () => {
  const { made, ports, states } = provider();
  const reading = made.program("1/a.pt2", signal);
  await calm();
  ports[0]?.onmessage?.({ data: { kind: "answer", id: 1 } } as MessageEvent<unknown>);
  await expect(reading).rejects.toThrow(UnreadableFile);
  expect(ports[0]?.isTerminated).toBe(true);
  expect(states.at(-1)).toEqual({ kind: "failed", reason: "it sent an invalid message" });
});
