/** The layout server, its worker and its client: one answer per request, the newest wins. */

import { describe, expect, it } from "vitest";
import {
  Layout,
  LayoutClient,
  type LayoutRequest,
  type LayoutResponse,
  LayoutServer,
  serveLayouts,
  transferables,
} from "../../src/layout";
import { randomProgram } from "./random";

const tree = randomProgram(5, 80).tree();
const closed = new Uint8Array(tree.parent.length);
const open = new Uint8Array(tree.parent.length).fill(1);

function server() {
  const answers: LayoutResponse[] = [];
  // A clock on which every step uses up its slice: a pause after each.
  let clock = 0;
  const made = new LayoutServer((a) => answers.push(a), { now: () => (clock += 100) });
  void made.receive({ kind: "open", program: 1, tree, options: {} });
  return { made, answers };
}

describe("the server", () => {
  it("returns the scene that the engine returns", async () => {
    const { made, answers } = server();
    await made.receive({ kind: "layout", id: 7, program: 1, view: { open } });
    expect(answers).toMatchObject([{ kind: "scene", id: 7, scene: new Layout(tree).scene({ open }) }]);
  });

  it("drops a request that a newer one replaces", async () => {
    const { made, answers } = server();
    await Promise.all([
      made.receive({ kind: "layout", id: 1, program: 1, view: { open } }),
      made.receive({ kind: "layout", id: 2, program: 1, view: { open: closed } }),
    ]);
    expect(answers.map((a) => [a.kind, a.id]).sort()).toEqual([
      ["dropped", 1],
      ["scene", 2],
    ]);
  });

  it("drops a request that is cancelled", async () => {
    const { made, answers } = server();
    const work = made.receive({ kind: "layout", id: 1, program: 1, view: { open } });
    await made.receive({ kind: "cancel", id: 1 });
    await work;
    expect(answers).toEqual([{ kind: "dropped", id: 1 }]);
  });

  it("separates programs, and reports one that is not open", async () => {
    const { made, answers } = server();
    await made.receive({ kind: "layout", id: 1, program: 2, view: { open } });
    expect(answers).toMatchObject([{ kind: "failed", id: 1 }]);
    expect(answers[0]?.kind === "failed" && answers[0].message).toContain("Program 2 is not open");
  });
});

describe("the worker", () => {
  it("moves the buffers of a scene", async () => {
    const posted: [LayoutResponse, Transferable[]][] = [];
    let listener: (event: MessageEvent<LayoutRequest>) => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      serveLayouts({
        addEventListener: (_, l) => {
          listener = l;
        },
        postMessage: (message, transfer) => {
          posted.push([message, transfer]);
          resolve();
        },
      });
    });
    const send = (data: LayoutRequest): void => listener({ data } as MessageEvent<LayoutRequest>);
    send({ kind: "open", program: 1, tree, options: {} });
    send({ kind: "layout", id: 1, program: 1, view: { open } });
    await answered;
    const [message, transfer] = posted[0] ?? [];
    expect(message?.kind === "scene" && transferables(message.scene)).toEqual(transfer);
    expect(transfer?.length).toBeGreaterThan(15);
    expect(new Set(transfer).size).toBe(transfer?.length);
  });
});

describe("the client", () => {
  it("works without a port, and resolves replaced requests with undefined", async () => {
    const client = new LayoutClient();
    const program = client.open(tree);
    const [first, second] = await Promise.all([
      client.layout(program, { open }),
      client.layout(program, { open: closed }),
    ]);
    expect(first).toBeUndefined();
    expect(second).toEqual(new Layout(tree).scene({ open: closed }));
  });

  it("rejects failed requests", async () => {
    await expect(new LayoutClient().layout(9, { open })).rejects.toThrow("Program 9 is not open");
  });

  it("leaves no open requests when it is disposed", async () => {
    const client = new LayoutClient(() => undefined);
    const answer = client.layout(client.open(tree), { open });
    client.dispose();
    expect(await answer).toBeUndefined();
  });
});
