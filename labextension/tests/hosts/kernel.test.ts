/** A refusal of the kernel: its reason, and the node that the reason names. */
import type { AnyModel } from "@anywidget/types";
import { expect, test } from "vitest";
import { Kernel } from "../../src/hosts/kernel";
import type { WidgetState } from "../../src/hosts/widget";
import { Refusal } from "../../src/stages/source";

type Listener = (message: unknown, buffers: readonly DataView[]) => void;

/** A kernel whose questions are answered with these fields. */
function answering(fields: Readonly<Record<string, unknown>>): Kernel {
  const listeners: Listener[] = [];
  const model = {
    on: (event: string, listener: Listener) => event === "msg:custom" && listeners.push(listener),
    off: () => undefined,
    send: ({ from, n }: { from: string; n?: number }) => {
      for (const listener of listeners) listener({ ...fields, to: from, ...(n !== undefined && { n }) }, []);
    },
  };
  return new Kernel(model as unknown as AnyModel<WidgetState>);
}

test.each([
  [{ node: "forward/index" }, "forward/index"],
  [{}, ""],
])("a refusal has the node that its reason names: %o", async (named, node) => {
  const reason = "The node forward/index could not run.";
  const kernel = answering({ kind: "refused", reason, ...named });
  const refusal = await kernel
    .ask("profile", { stage: "s0", options: {} })
    .catch((thrown: unknown) => thrown);
  kernel.dispose();
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ message: reason, node });
});

test("a refusal whose node is no text cannot be read", async () => {
  const kernel = answering({ kind: "refused", reason: "No.", node: 3 });
  await expect(kernel.ask("profile", { stage: "s0", options: {} })).rejects.toThrow("its field");
  kernel.dispose();
});
