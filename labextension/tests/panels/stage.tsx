/** A container for a panel, and its requests. Each stage removes what it put into the page. */
import { type ComponentChild, options, render } from "preact";
import { afterEach } from "vitest";
import type { Snapshot } from "../../src/snapshot";
import type { Actions, DetailState } from "../../src/ui/actions";

export interface Stage {
  readonly root: HTMLElement;
  readonly requests: string[];
  readonly actions: Actions;
  show(what: ComponentChild): void;
  /** All text, with single spaces. */
  text(): string;
  /** The first element of a kind whose text or label contains this. */
  find<E extends HTMLElement = HTMLElement>(selector: string, holds: string): E;
}

const shown = new Set<HTMLElement>();

// Preact runs effects after a frame or later: here at once, and `settled` knows how many are pending.
let coming = 0;
options.requestAnimationFrame = (flush) => {
  coming++;
  setTimeout(() => {
    coming--;
    flush();
  });
};

afterEach(() => {
  for (const root of shown) {
    render(null, root);
    root.remove();
  }
  shown.clear();
});

export function stage(): Stage {
  const root = document.body.appendChild(document.createElement("div"));
  shown.add(root);
  const requests: string[] = [];
  const note =
    (what: string) =>
    (...args: unknown[]): void => {
      requests.push([what, ...args.map((arg) => JSON.stringify(arg))].join(" "));
    };
  const actions: Actions = {
    select: note("select"),
    reveal: note("reveal"),
    revealModule: note("revealModule"),
    revealGraph: note("revealGraph"),
    hover: note("hover"),
    search: note("search"),
    copy: async (text) => note("copy")(text),
  };
  const text = (of: Element): string =>
    `${of.textContent ?? ""} ${of.getAttribute("aria-label") ?? ""}`.replace(/\s+/g, " ").trim();
  return {
    root,
    requests: requests,
    actions,
    show: (what) => render(what, root),
    text: () => text(root),
    find: <E extends HTMLElement>(selector: string, holds: string) => {
      const found = [...root.querySelectorAll<E>(selector)].find((each) => text(each).includes(holds));
      if (!found) throw new Error(`No ${selector} holds "${holds}" in: ${text(root)}`);
      return found;
    },
  };
}

export async function ready(snapshot: Snapshot): Promise<DetailState> {
  return { state: "ready", detail: await snapshot.detail() };
}

/** Effects of preact and our timers have run. */
export async function settled(): Promise<void> {
  do await new Promise((done) => setTimeout(done, 60));
  while (coming > 0);
}

export const nodeNamed = (snapshot: Snapshot, name: string): number => {
  const node = snapshot.find(name);
  if (node === undefined) throw new Error(`No node ${name}.`);
  return node;
};
