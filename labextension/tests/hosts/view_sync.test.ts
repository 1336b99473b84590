/** Selection and view between the kernel and the picture, on a slow machine. */
import type { AnyModel } from "@anywidget/types";
import { expect, test, vi } from "vitest";
import { Explorer } from "../../src/explorer";
import { syncView, type Turns } from "../../src/hosts/view_sync";
import type { WidgetState } from "../../src/hosts/widget";
import { sevenWide, snapshotOf, stack } from "../programs";

/** Milliseconds after which everything has been sent. */
const LONG = 2000;

/** The traits of the kernel, and what it receives. */
function kernel(selection: readonly string[]) {
  const state: Record<string, unknown> = { selection, view: {} };
  const saved: unknown[] = [];
  const calls = new Map<string, () => void>();
  const model = {
    get: (name: string) => state[name],
    set: (name: string, value: unknown) => {
      state[name] = value;
      calls.get(`change:${name}`)?.();
    },
    save_changes: () => saved.push(state["selection"]),
    on: (event: string, call: () => void) => calls.set(event, call),
    off: (event: string) => calls.delete(event),
  };
  return { model: model as unknown as AnyModel<WidgetState>, saved };
}

/** Runs actions one after the other when released. */
function slowTurns(): { turns: Turns; release: () => Promise<void> } {
  const waiting: (() => Promise<void> | undefined)[] = [];
  const release = async (): Promise<void> => {
    for (let act = waiting.shift(); act; act = waiting.shift()) await act();
  };
  return { turns: (act) => void waiting.push(act), release };
}

const opened = (): Explorer => new Explorer(snapshotOf(stack(3)), sevenWide, { width: 900, height: 700 });

const selected = (explorer: Explorer): string[] =>
  explorer.selectedNodes().map((node) => explorer.snapshot.id(node));

test("a selection of the kernel is not undone by what a busy page still shows", async () => {
  vi.useFakeTimers();
  const explorer = opened();
  const [first, second] = ["forward/linear_0", "forward/linear_1"];
  const { model, saved } = kernel([first]);
  const { turns, release } = slowTurns();
  const stop = syncView(model, explorer, turns, { onSent: () => undefined });
  await vi.advanceTimersByTimeAsync(LONG);
  expect(saved).toEqual([]); // nothing is selected in the picture, and that is not sent
  await release();
  expect(selected(explorer)).toEqual([first]);
  model.set("selection", [second]);
  await vi.advanceTimersByTimeAsync(LONG);
  expect(model.get("selection")).toEqual([second]);
  await release();
  expect(selected(explorer)).toEqual([second]);
  await vi.advanceTimersByTimeAsync(LONG);
  expect(saved).toEqual([[second]]); // with the resulting view
  stop();
  vi.useRealTimers();
});
