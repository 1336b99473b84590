// @vitest-environment happy-dom
import type { AnyModel } from "@anywidget/types";
import { expect, test } from "vitest";
import widget from "../src/hosts/widget";

type State = { title: string; text: string };

/** The part of a kernel's model that the widget may use, with its listeners in sight. */
function modelOf(state: State) {
  const listeners = new Map<string, Set<() => void>>();
  const model = {
    get: (name: keyof State) => state[name],
    on: (event: string, listener: () => void) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    off: (event: string, listener: () => void) => {
      listeners.get(event)?.delete(listener);
    },
  };
  return {
    model: model as unknown as AnyModel<State>,
    set: (name: keyof State, value: string) => {
      state[name] = value;
      for (const listener of listeners.get(`change:${name}`) ?? []) listener();
    },
    listening: () => [...listeners.values()].reduce((count, each) => count + each.size, 0),
  };
}

async function mountInto(el: HTMLElement, model: AnyModel<State>) {
  const given: Pick<Parameters<typeof widget.render>[0], "model" | "el"> = { model, el };
  const dispose = await widget.render(given as Parameters<typeof widget.render>[0]);
  if (!dispose) throw new Error("render must return its cleanup");
  return dispose;
}

async function mounted(state: State) {
  const kernel = modelOf(state);
  const el = document.createElement("div");
  await mountInto(el, kernel.model);
  return { ...kernel, el };
}

test("shows the program and follows the kernel", async () => {
  const { el, set } = await mounted({ title: "MLP", text: "one node" });
  expect(el.textContent).toBe("MLPone node");
  set("text", "two nodes");
  expect(el.querySelector("pre")?.textContent).toBe("two nodes");
});

test("text of a program never becomes markup", async () => {
  const { el } = await mounted({ title: "<b>x</b>", text: "<img src=x onerror=alert(1)>" });
  expect(el.querySelectorAll("b, img")).toHaveLength(0);
});

test("fifty mounts leave no listener and no element behind", async () => {
  const kernel = modelOf({ title: "MLP", text: "" });
  const el = document.createElement("div");
  for (let mount = 0; mount < 50; mount++) {
    const dispose = await mountInto(el, kernel.model);
    expect(kernel.listening()).toBe(2);
    await dispose();
    expect([kernel.listening(), el.childElementCount]).toEqual([0, 0]);
  }
});
