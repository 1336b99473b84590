// @vitest-environment happy-dom
/** Hostile text is shown as text; a mount removes what it added. */
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { NodePanel } from "../../src/panels/node/panel";
import { SidePanel, type Tab, TITLES } from "../../src/panels/tabbed_panel";
import { NOTHING } from "../../src/ui/actions";
import { visible } from "../../src/ui/text";
import { changed, readCorpus } from "../snapshots";
import { nodeNamed, ready, settled, stage } from "./stage";

const TABS = Object.keys(TITLES) as Tab[];

const EVIL = '<img src=x onerror="window.__ran=1"><script>window.__ran=1</script>';

/** A program in which every text is hostile. */
async function evil() {
  const snapshot = await readCorpus("llama32.core");
  return changed(
    snapshot,
    (skeleton) => ({
      origin: { ...skeleton.origin, name: EVIL },
      scopes: skeleton.scopes.map((scope) => ({ ...scope, cls: EVIL })),
      targets: skeleton.targets.map((target) => ({ ...target, schema: `${EVIL}(Tensor ${EVIL})` })),
      graphs: skeleton.graphs.map((graph) => ({
        ...graph,
        names: graph.names.map((name) => `${name} ${EVIL}`),
      })),
    }),
    (detail) => ({
      frames: (detail.frames ?? []).map((frame) => ({ ...frame, file: EVIL, function: EVIL, code: EVIL })),
      torch_fns: (detail.torch_fns ?? []).map(() => [EVIL, EVIL]),
      origins: (detail.origins ?? []).map((origin) => ({
        ...origin,
        name: EVIL,
        target: EVIL,
        pass_name: EVIL,
      })),
    }),
  );
}

test("no text of a program becomes markup", async () => {
  const snapshot = await evil();
  const detail = await ready(snapshot);
  const node = nodeNamed(snapshot, `mm_35 ${EVIL}`);
  for (const tab of TABS) {
    for (const selection of [
      NOTHING,
      { kind: "node", node },
      { kind: "module", graph: 0, scope: 3 },
    ] as const) {
      const on = stage();
      on.show(
        <SidePanel {...{ snapshot, detail, selection, tab }} actions={on.actions} onTab={() => undefined} />,
      );
      await settled();
      expect(on.root.querySelector("img, script, iframe")).toBeNull();
      if (selection.kind === "node" && tab === "node") expect(on.text()).toContain("<script>window.__ran=1");
    }
  }
  expect("__ran" in window).toBe(false);
});

test("names of a real hostile program are shown unchanged", async () => {
  const snapshot = await readCorpus("hostile_names");
  const on = stage();
  const node = nodeNamed(snapshot, "p___script__weight");
  on.show(<NodePanel {...{ snapshot, node }} actions={on.actions} detail={await ready(snapshot)} />);
  expect(on.text()).toContain("</script>.weight");
});

test("characters that are invisible or reorder are escaped; long text is cut", () => {
  expect(visible("a\u202eb\u200bc\u0007")).toBe("a\\u202eb\\u200bc\\u0007");
  expect(visible("x".repeat(100_000)).length).toBeLessThan(2100);
});

test("fifty mounts leave no listener, no observer and no element", async () => {
  const snapshot = await readCorpus("control_flow");
  const detail = await ready(snapshot);
  const observed = vi.spyOn(ResizeObserver.prototype, "observe");
  const disconnected = vi.spyOn(ResizeObserver.prototype, "disconnect");
  const added = vi.spyOn(EventTarget.prototype, "addEventListener");
  const removed = vi.spyOn(EventTarget.prototype, "removeEventListener");
  const onOthers = (calls: readonly unknown[][], on: readonly unknown[]): number =>
    calls.filter((_, i) => on[i] === window || on[i] === document).length;
  const before = document.querySelectorAll("*").length;
  for (let i = 0; i < 50; i++) {
    const root = document.body.appendChild(document.createElement("div"));
    const on = stage();
    const tab = TABS[i % TABS.length] ?? "node";
    render(
      <SidePanel
        {...{ snapshot, detail, tab }}
        selection={NOTHING}
        actions={on.actions}
        onTab={() => undefined}
      />,
      root,
    );
    await new Promise((done) => setTimeout(done, 2));
    render(null, root);
    root.remove();
    on.root.remove();
  }
  await settled();
  expect(document.querySelectorAll("*").length).toBe(before);
  expect(observed.mock.calls.length).toBeGreaterThan(0);
  expect(disconnected.mock.calls.length).toBe(observed.mock.calls.length);
  expect(onOthers(added.mock.calls, added.mock.contexts)).toBe(
    onOthers(removed.mock.calls, removed.mock.contexts),
  );
  vi.restoreAllMocks();
});
