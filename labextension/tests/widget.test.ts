// @vitest-environment happy-dom
import type { AnyModel } from "@anywidget/types";
import { expect, test, vi } from "vitest";
import widget, { type WidgetState } from "../src/hosts/widget";
import { sections } from "../src/snapshot/container";
import { detailOf, fileOf, skeletonOf, stack } from "./programs";

type Listener = (...args: unknown[]) => void;

/** A kernel without Jupyter: its model, its answers, and all that listens to it. */
function kernelOf(change: Partial<WidgetState> = {}, isAlive = true) {
  const state: WidgetState = {
    title: "MLP",
    height: 400,
    appearance: "light",
    selection: [],
    view: {},
    ...change,
  };
  const skeleton = skeletonOf(stack(3));
  const parts = sections(fileOf(skeleton, detailOf(skeleton)));
  const listeners = new Map<string, Set<Listener>>();
  const asked: string[] = [];
  const tell = (event: string, ...args: unknown[]): void => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...args);
  };
  const model = {
    get: (name: keyof WidgetState) => state[name],
    set: (name: keyof WidgetState, value: never) => {
      state[name] = value;
    },
    save_changes: () => undefined,
    on: (event: string, listener: Listener) =>
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    off: (event: string, listener: Listener) => listeners.get(event)?.delete(listener),
    send: (message: { what: "skeleton" | "detail"; from: string }) => {
      asked.push(message.what);
      const bytes = parts[message.what];
      const data = new DataView(bytes.slice().buffer);
      if (isAlive) queueMicrotask(() => tell("msg:custom", { kind: message.what, to: message.from }, [data]));
    },
  };
  return {
    model: model as unknown as AnyModel<WidgetState>,
    state,
    asked,
    tell,
    listening: () => [...listeners.values()].reduce((count, each) => count + each.size, 0),
  };
}

async function mountInto(el: HTMLElement, model: AnyModel<WidgetState>): Promise<() => unknown> {
  const given = { model, el } as unknown as Parameters<typeof widget.render>[0];
  const dispose = await widget.render(given);
  if (!dispose) throw new Error("render must return its cleanup");
  return dispose;
}

const shown = (el: HTMLElement): Promise<unknown> =>
  vi.waitFor(() => {
    if (!el.querySelector(".exirviz-bar")) throw new Error("not yet");
  });

test("asks for the skeleton, shows the program, and asks for the detail only when it is needed", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  expect(el.textContent).toContain("Reading the program");
  await shown(el);
  expect(el.querySelector(".exirviz-program")?.textContent).toBe("MLP");
  expect(kernel.asked[0]).toBe("skeleton");
  dispose();
});

test("a selection in Python is a selection in the picture", async () => {
  const kernel = kernelOf({ selection: ["forward/relu_1"] });
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  await vi.waitFor(() =>
    expect(el.querySelector("[role=treeitem][aria-selected=true]")?.textContent).toContain("relu"),
  );
  kernel.state.selection = [];
  kernel.tell("change:selection");
  await vi.waitFor(() => expect(el.querySelector("[role=treeitem][aria-selected=true]")).toBeNull());
  dispose();
});

test("answers to another view of the same widget are not ours", async () => {
  const kernel = kernelOf({}, false);
  const el = document.createElement("div");
  const dispose = await mountInto(el, kernel.model);
  kernel.tell("msg:custom", { kind: "skeleton", to: "someone-else" }, [new DataView(new ArrayBuffer(4))]);
  await Promise.resolve();
  expect(el.textContent).toContain("Reading the program");
  dispose();
});

test("bytes that are no program say so", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  kernel.model.send = () => {
    queueMicrotask(() => kernel.tell("msg:custom", { kind: "skeleton" }, [new DataView(new ArrayBuffer(9))]));
  };
  const dispose = await mountInto(el, kernel.model);
  await vi.waitFor(() => expect(el.textContent).toContain("cannot be shown"));
  dispose();
});

test("fifty mounts leave no listener and no element behind", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  for (let mount = 0; mount < 50; mount++) {
    const dispose = await mountInto(el, kernel.model);
    if (mount % 10 === 0) await shown(el);
    expect(kernel.listening()).toBeGreaterThan(0);
    dispose();
    expect([kernel.listening(), el.childElementCount]).toEqual([0, 0]);
  }
});
