// @vitest-environment happy-dom
/** The search box: completions, errors at their position, steps; and the list of results. */
import { useState } from "preact/hooks";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/frame/commands";
import { groupsOf, Help } from "../../src/frame/help";
import { makeOverlay } from "../../src/overlay";
import { Legend } from "../../src/panels/legend";
import { SearchBox } from "../../src/panels/search/box";
import { Results } from "../../src/panels/search/results";
import { Searcher } from "../../src/search";
import { commandOf, GESTURES } from "../../src/ui/commands";
import { readCorpus } from "../snapshots";
import { settled, stage } from "./stage";

const llama = await readCorpus("llama32.core");

function box(query: string, count = 3) {
  const on = stage();
  function Mounted() {
    const [text, setText] = useState(query);
    return (
      <SearchBox
        snapshot={llama}
        query={text}
        count={count}
        at={1}
        onQuery={(next) => {
          on.requests.push(next);
          setText(next);
        }}
        onStep={(by) => on.requests.push(`step ${by}`)}
        onClose={() => on.requests.push("close")}
      />
    );
  }
  on.show(<Mounted />);
  const field = on.root.querySelector("input");
  if (!field) throw new Error("No field.");
  const type = async (text: string): Promise<void> => {
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
  };
  const press = async (key: string, more: KeyboardEventInit = {}): Promise<void> => {
    field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
    await settled();
  };
  return { ...on, field, type, press };
}

test("steps with Enter and Shift-Enter, is left with Escape, shows the position", async () => {
  const on = box("op:mm");
  expect(on.text()).toContain("2 of 3");
  await on.press("Enter");
  await on.press("Enter", { shiftKey: true });
  await on.press("Escape");
  expect(on.requests).toEqual(["step 1", "step -1", "close"]);
});

test("a completion is chosen with arrows and accepted with Enter", async () => {
  const on = box("");
  await on.type("op:aten.bm");
  expect(on.find("[role=option]", "aten.bmm.default").textContent).toContain("64");
  await on.press("ArrowDown");
  await on.press("Enter");
  expect(on.requests.at(-1)).toBe("op:aten.bmm.default");
  expect(on.root.querySelector("[role=option]")).toBeNull();
});

test("no completions for a complete word, nor after Enter", async () => {
  const on = box("");
  await on.type("kind:matrix");
  expect(on.root.querySelector("[role=option]")).toBeNull();
  await on.type("kind:mat");
  expect(on.root.querySelector("[role=option]")).not.toBeNull();
  await on.press("Enter");
  expect(on.root.querySelector("[role=option]")).toBeNull();
  expect(on.requests.at(-1)).toBe("step 1");
});

test("an error is marked at its position, and corrected by a click", async () => {
  const on = box("op:mm knd:matrix");
  expect(on.root.querySelector("mark")?.textContent).toBe("knd");
  expect(on.text()).toContain('Unknown key "knd". Did you mean kind?');
  expect(on.root.querySelector("[role=status]")).toBeNull();
  on.find("[role=alert] button", "kind").click();
  expect(on.requests).toEqual(["op:mm kind:matrix"]);
});

test("results are listed, and the current one is marked", async () => {
  const on = stage();
  const nodes = await new Searcher(llama).find("op:mm");
  const picked: number[] = [];
  on.show(
    <Results snapshot={llama} actions={on.actions} nodes={nodes} at={1} onPick={(at) => picked.push(at)} />,
  );
  expect(on.root.querySelector("[aria-current]")?.textContent).toContain(llama.name(nodes[1] ?? 0));
  expect(on.root.querySelectorAll(".exirviz-result").length).toBeLessThan(nodes.length);
  on.find(".exirviz-result", llama.name(nodes[2] ?? 0)).click();
  expect(picked).toEqual([2]);
});

test("help shows every key and enters an example into the box", async () => {
  const on = stage();
  on.show(
    <Help
      groups={groupsOf(COMMANDS)}
      onClose={() => on.requests.push("close")}
      onSearch={(query) => on.requests.push(query)}
    />,
  );
  for (const { does, keys } of COMMANDS) if (keys) expect(on.text()).toContain(does);
  on.find("button", "shape:*x64").click();
  on.find("button", "Close").click();
  expect(on.requests).toEqual(["shape:*x64", "close"]);
});

test("the legend has ends and a middle, and switches its scale", () => {
  const on = stage();
  const nodes = Array.from({ length: llama.nodeCount }, (_, node) => node);
  const overlay = makeOverlay(llama, nodes, { name: "bytes", scale: "linear" }, []);
  if (!overlay) throw new Error("No overlay.");
  on.show(<Legend legend={overlay.legend} scale="linear" onScale={(scale) => on.requests.push(scale)} />);
  expect([...on.root.querySelectorAll(".exirviz-legend-ticks span")].map((tick) => tick.textContent)).toEqual(
    ["0 B", "25 KB", "50 KB"],
  );
  on.find("button", "Log").click();
  expect(on.requests).toEqual(["log"]);
});

test.each([
  [{ key: "/", code: "Slash" }, "search"],
  [{ key: "/", code: "Digit7", shiftKey: true }, "search"],
  [{ key: "?", code: "Slash", shiftKey: true }, "help"],
  [{ key: "n", code: "KeyN" }, "next"],
  [{ key: "N", code: "KeyN", shiftKey: true }, "previous"],
  [{ key: "!", code: "Digit1", shiftKey: true }, "tab-node"],
  [{ key: "1", code: "Digit1" }, "depth-1"],
  [{ key: "1", code: "Digit1", altKey: true }, undefined],
  [{ key: "ArrowLeft", code: "ArrowLeft", altKey: true }, undefined],
  [{ key: "Backspace", code: "Backspace" }, "back"],
  [{ key: "+", code: "Equal", shiftKey: true }, "zoom-in"],
  [{ key: " ", code: "Space" }, "toggle"],
  [{ key: "f", code: "KeyF", metaKey: true }, "search"],
  [{ key: "q", code: "KeyQ" }, undefined],
])("%o", (press, command) => {
  const event = new KeyboardEvent("keydown", press);
  expect(commandOf(COMMANDS, event)?.command.name).toBe(command);
  const field = document.createElement("input");
  expect(commandOf(COMMANDS, event, field)).toBeUndefined();
});

test("the help lists mouse gestures", () => {
  const on = stage();
  on.show(<Help groups={[]} onClose={() => undefined} onSearch={() => undefined} />);
  for (const { gesture, does } of GESTURES) expect(on.text()).toContain(`${gesture}${does}`);
});
