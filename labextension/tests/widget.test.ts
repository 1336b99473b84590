// @vitest-environment happy-dom
import type { AnyModel } from "@anywidget/types";
import { expect, test, vi } from "vitest";
import widget, { type WidgetState } from "../src/hosts/widget";
import { sections } from "../src/snapshot/container";
import { eventually } from "./eventually";
import { detailOf, fileOf, skeletonOf, stack } from "./programs";

type Listener = (...args: unknown[]) => void;

/** A kernel without Jupyter: its model, its answers, and its listeners. */
function kernelOf(change: Partial<WidgetState> = {}, isBorn = true, manager?: unknown) {
  let isAlive = isBorn;
  const state: WidgetState = {
    title: "MLP",
    height: 400,
    appearance: "light",
    selection: [],
    view: {},
    _explorer_id: "one",
    _program: [],
    ...change,
  };
  const skeleton = skeletonOf(stack(3));
  const parts = sections(fileOf(skeleton, detailOf(skeleton)));
  const listeners = new Map<string, Set<Listener>>();
  const requests: string[] = [];
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
    send: (message: { what: "skeleton" | "detail" | "life" | "reports"; from: string }) => {
      if (message.what === "reports") return; // it is busy
      requests.push(message.what);
      const buffers = message.what === "life" ? [] : [dataOf(parts[message.what])];
      if (isAlive)
        queueMicrotask(() => tell("msg:custom", { kind: message.what, to: message.from }, buffers));
    },
    widget_manager: manager,
  };
  return {
    die: () => {
      isAlive = false;
    },
    parts: [dataOf(parts.skeleton), dataOf(parts.detail)],
    model: model as unknown as AnyModel<WidgetState>,
    state,
    requests: requests,
    tell,
    listening: () => [...listeners.values()].reduce((count, each) => count + each.size, 0),
  };
}

const dataOf = (bytes: Uint8Array): DataView => new DataView(bytes.slice().buffer);

/** A JupyterLab kernel connection, as far as a widget may use it. */
function connectionOf() {
  const signal = () => {
    const slots = new Set<(sender: unknown, value: unknown) => void>();
    return {
      connect: (slot: (sender: unknown, value: unknown) => void) => slots.add(slot),
      disconnect: (slot: (sender: unknown, value: unknown) => void) => slots.delete(slot),
      emit: (value: unknown) => {
        for (const slot of slots) slot(undefined, value);
      },
      slots,
    };
  };
  const kernel = {
    status: "idle",
    statusChanged: signal(),
    connectionStatusChanged: signal(),
    disposed: signal(),
  };
  const listening = (): number =>
    kernel.statusChanged.slots.size + kernel.connectionStatusChanged.slots.size + kernel.disposed.slots.size;
  return { kernel, listening };
}

const evidenceText = (el: HTMLElement): string =>
  el.querySelector(".exirviz-notice:not([hidden])")?.textContent ?? "";

async function mountInto(el: HTMLElement, model: AnyModel<WidgetState>): Promise<() => unknown> {
  const given = { model, el } as unknown as Parameters<typeof widget.render>[0];
  const dispose = await widget.render(given);
  if (!dispose) throw new Error("render must return its cleanup");
  return dispose;
}

const shown = (el: HTMLElement): Promise<unknown> =>
  eventually(() => {
    if (!el.querySelector(".exirviz-bar")) throw new Error("not yet");
  });

test("takes the program that came with the widget and leaves none to be saved", async () => {
  const kernel = kernelOf();
  kernel.state._program = kernel.parts;
  const el = document.createElement("div");
  const dispose = await mountInto(el, kernel.model);
  expect(el.textContent).toContain("Reading the program");
  document.body.append(el); // as JupyterLab, which fills an output before it shows it
  await shown(el);
  expect(kernel.state._program).toEqual([]);
  expect(kernel.requests).not.toContain("skeleton");
  expect(kernel.requests).not.toContain("detail");
  expect(kernel.requests).toContain("life");
  dispose();
});

test("requests the skeleton, shows the program, and requests the detail only when needed", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  expect(el.textContent).toContain("Reading the program");
  await shown(el);
  expect(el.querySelector(".exirviz-program")?.textContent).toBe("MLP");
  expect(kernel.requests[0]).toBe("skeleton");
  dispose();
});

test("a selection in Python is a selection in the picture", async () => {
  const kernel = kernelOf({ selection: ["forward/relu_1"] });
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  await eventually(() =>
    expect(el.querySelector("[role=treeitem][aria-selected=true]")?.textContent).toContain("relu"),
  );
  kernel.state.selection = [];
  kernel.tell("change:selection");
  await eventually(() => expect(el.querySelector("[role=treeitem][aria-selected=true]")).toBeNull());
  dispose();
});

test("answers to another view of the same widget are ignored", async () => {
  const kernel = kernelOf({}, false);
  const el = document.createElement("div");
  const dispose = await mountInto(el, kernel.model);
  kernel.tell("msg:custom", { kind: "skeleton", to: "someone-else" }, [new DataView(new ArrayBuffer(4))]);
  await Promise.resolve();
  expect(el.textContent).toContain("Reading the program");
  dispose();
});

test("bytes that are not a program are reported", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  kernel.model.send = () => {
    queueMicrotask(() => kernel.tell("msg:custom", { kind: "skeleton" }, [new DataView(new ArrayBuffer(9))]));
  };
  const dispose = await mountInto(el, kernel.model);
  await eventually(() => expect(el.textContent).toContain("cannot be shown"));
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

test.each([
  ["restarting", "statusChanged"],
  ["autorestarting", "statusChanged"],
  ["dead", "statusChanged"],
  [undefined, "disposed"],
] as const)("a lost kernel (%s) is reported, and the view stays", async (value, name) => {
  const connection = connectionOf();
  const kernel = kernelOf({}, true, { kernel: connection.kernel });
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  connection.kernel.statusChanged.emit("busy");
  expect(evidenceText(el)).toBe("");
  connection.kernel[name].emit(value);
  await eventually(() => expect(evidenceText(el)).toContain("Kernel disconnected"));
  expect(evidenceText(el)).toContain("run the cell again");
  expect(el.querySelector("[role=treeitem]")).not.toBeNull();
  // It does not come back: a restarted kernel does not have its objects.
  connection.kernel.connectionStatusChanged.emit("connected");
  kernel.tell("msg:custom", { kind: "life" }, []);
  expect(evidenceText(el)).toContain("disconnected");
  dispose();
  expect(connection.listening()).toBe(0);
});

test("a lost connection is reported until the kernel answers again", async () => {
  const connection = connectionOf();
  const kernel = kernelOf({}, true, { kernel: connection.kernel });
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  connection.kernel.connectionStatusChanged.emit("connecting");
  await eventually(() => expect(evidenceText(el)).toContain("not responding"));
  connection.kernel.connectionStatusChanged.emit("connected");
  await eventually(() => expect(evidenceText(el)).toBe(""));
  dispose();
});

test("a closed connection is a lost kernel", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  kernel.model.send = () => {
    throw new Error("Cannot send");
  };
  kernel.tell("comm_live_update");
  await eventually(() => expect(evidenceText(el)).toContain("disconnected"));
  dispose();
});

test("if the application does not report the kernel's status, silence after a user action does", async () => {
  vi.useFakeTimers();
  try {
    const kernel = kernelOf();
    const el = document.createElement("div");
    document.body.append(el);
    const dispose = await mountInto(el, kernel.model);
    await shown(el);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(evidenceText(el)).toBe("");
    kernel.die();
    el.querySelector<HTMLElement>(".exirviz-canvas")?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }),
    );
    await vi.advanceTimersByTimeAsync(6_000);
    expect(evidenceText(el)).toContain("not responding");
    dispose();
  } finally {
    vi.useRealTimers();
  }
});

test("orders wait for the program and for each other", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  const open = (...paths: string[]) => ({ kind: "do", action: "open", paths, nodes: [], depth: null });
  kernel.tell("msg:custom", { kind: "do", action: "close", paths: [] }, []);
  kernel.tell("msg:custom", open("model.layers.0"), []);
  kernel.tell("msg:custom", open("model.layers.2"), []);
  await eventually(() => {
    const { open: opened } = kernel.state.view as { open?: string[] };
    const names = opened?.map((key) => key.replace(/^.*(?=layers)/, ""));
    expect(names).toEqual(expect.arrayContaining(["layers.0", "layers.2"]));
  });
  dispose();
});

test("several nodes are selected and the groups around them opened", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  kernel.tell("msg:custom", { kind: "do", action: "close", paths: [] }, []);
  kernel.state.selection = ["forward/relu_0", "forward/relu_2"];
  kernel.tell("change:selection");
  await eventually(() => expect(el.querySelectorAll("[role=treeitem][aria-selected=true]")).toHaveLength(2));
  expect(kernel.state.selection).toEqual(["forward/relu_0", "forward/relu_2"]);
  dispose();
});

test("an overlay is shown, replaced, and removed", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  const legend = (): string => el.querySelector(".exirviz-legend")?.textContent ?? "";
  const paint = (values: readonly number[], show: string | null, categories?: string[]): void => {
    const series = [{ label: "speed", unit: "m/s", nodes: ["forward/relu_0", "forward/relu_1"], categories }];
    const data = new DataView(new Float64Array(values).buffer);
    kernel.tell("msg:custom", { kind: "series", series, show }, [data]);
  };
  paint([1, 5], "speed");
  await eventually(() => expect(legend()).toContain("5 m/s"));
  paint([1, 9], null);
  await eventually(() => expect(legend()).toContain("9 m/s"));
  paint([0, 1], null, ["slow", "<b>fast</b>"]);
  await eventually(() => expect(legend()).toContain("<b>fast</b>"));
  kernel.tell("msg:custom", { kind: "series", series: [], show: null }, []);
  await eventually(() => expect(legend()).not.toContain("fast"));
  expect(legend()).toContain("kind");
  dispose();
});

test("a selection in Python does not undo actions that Python has not received yet", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  await shown(el);
  await eventually(() => expect(kernel.state.view).toMatchObject({ overlay: "kind" }));
  const head = { label: "flops", unit: "F", nodes: ["forward/relu_1"] };
  const data = dataOf(new Uint8Array(Float64Array.of(2).buffer));
  kernel.tell("msg:custom", { kind: "series", series: [head], show: "flops" }, [data]);
  kernel.state.selection = ["forward/relu_1"];
  kernel.tell("change:selection");
  await eventually(() => expect(el.querySelector("[role=treeitem][aria-selected=true]")).not.toBeNull());
  await eventually(() => expect(kernel.state.view).toMatchObject({ selected: ["forward/relu_1"] }));
  expect(kernel.state.view).toMatchObject({ overlay: "flops" });
  dispose();
});

test("plain keys are kept from the notebook, Ctrl and Command are not", async () => {
  const kernel = kernelOf();
  const el = document.createElement("div");
  document.body.append(el);
  const dispose = await mountInto(el, kernel.model);
  const canvas = await eventually(() => {
    const found = el.querySelector(".exirviz-canvas");
    if (!found) throw new Error("not yet");
    return found;
  });
  // Where Jupyter listens.
  const messages: boolean[] = [];
  const listen = (event: Event): void => {
    messages.push((event.target as Element).hasAttribute("data-lm-suppress-shortcuts"));
  };
  document.addEventListener("keydown", listen, true);
  for (const press of [{ key: "x" }, { key: "d" }, { key: "q" }, { key: "s", ctrlKey: true }]) {
    canvas.dispatchEvent(new KeyboardEvent("keydown", { ...press, bubbles: true }));
  }
  document.removeEventListener("keydown", listen, true);
  expect(messages).toEqual([true, true, true, false]);
  dispose();
});
