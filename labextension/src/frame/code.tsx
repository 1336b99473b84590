/**
 * The program's text, a line per node, tied to the picture: a click goes to the node, a selection scrolls here.
 * Only the lines in view are in the page.
 */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Arg, type Detail, type Graph, opName } from "../snapshot";
import { useDetail, useExplorer, usePart } from "./context";
import { Nothing } from "./parts";

/** CSS pixels of a line. */
const LINE = 19;
const SPARE = 12;

export function Code(): JSX.Element {
  const loaded = useDetail();
  if ("busy" in loaded) return <Nothing>Reading the program's text…</Nothing>;
  if ("problem" in loaded) return <Nothing>The text could not be read: {loaded.problem}</Nothing>;
  return <Lines detail={loaded.detail} />;
}

function Lines({ detail }: { detail: Detail }): JSX.Element {
  const explorer = useExplorer();
  const selected = usePart((state) => state.selected);
  const root = usePart((state) => state.picture.graph);
  const shown = explorer.selectedNodes();
  const graph = shown[0] === undefined ? root : explorer.snapshot.locate(shown[0]).graph;
  const marked = useMemo(() => new Set(shown), [selected, graph]);
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    setHeight(element.clientHeight);
    const first = shown[0];
    if (first === undefined) return;
    const at = (first - graph.base) * LINE;
    if (at < element.scrollTop || at > element.scrollTop + element.clientHeight - LINE) {
      element.scrollTop = at - element.clientHeight / 3;
    }
  }, [selected, graph]);
  const from = Math.max(0, Math.floor(top / LINE) - SPARE);
  const to = Math.min(graph.count, Math.ceil((top + height) / LINE) + SPARE);
  const positions = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return (
    <div class="exirviz-text" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div style={{ height: `${graph.count * LINE}px`, position: "relative" }}>
        {positions.map((position) => (
          <button
            type="button"
            key={position}
            class={`exirviz-text-line ${marked.has(graph.base + position) ? "is-hit" : ""}`}
            style={{ top: `${position * LINE}px` }}
            title={lineOf(graph, position, detail, explorer.snapshot.valueText(graph.base + position))}
            onClick={() => void explorer.reveal(graph.base + position)}
          >
            <u>{position}</u>
            <b>{graph.name(position)}</b>
            <span class="exirviz-dim">: {explorer.snapshot.valueText(graph.base + position)} = </span>
            {callText(graph, position, detail)}
          </button>
        ))}
      </div>
    </div>
  );
}

function lineOf(graph: Graph, position: number, detail: Detail, value: string): string {
  return `${graph.name(position)}: ${value} = ${callText(graph, position, detail)}`.slice(0, 2000);
}

function callText(graph: Graph, position: number, detail: Detail): string {
  const op = graph.op(position);
  if (op === "placeholder") return "input";
  const call = detail.calls?.[detail.graphs[graph.number]?.calls[position] ?? -1];
  const inputs = graph.inputsOf(position);
  const parts = (call?.args ?? []).map((arg) => argText(arg, graph, inputs));
  (call?.names ?? []).forEach((name, i) => {
    const value = call?.values?.[i];
    if (value) parts.push(`${name}=${argText(value, graph, inputs)}`);
  });
  if (op === "output") return `return ${parts.join(", ")}`;
  return `${opName(graph.target(position))}(${parts.join(", ")})`;
}

function argText(arg: Arg, graph: Graph, inputs: Int32Array): string {
  const all = (items: readonly Arg[] | undefined): string[] =>
    (items ?? []).map((item) => argText(item, graph, inputs));
  switch (arg.kind) {
    case "node":
      return graph.name(inputs[arg.at] ?? -1);
    case "literal":
      return arg.type === "str" ? `'${arg.text}'` : arg.text;
    case "symbol":
      return arg.expr;
    case "operator":
      return arg.text;
    case "object":
      return arg.text || `<${arg.cls}>`;
    case "sequence":
      return arg.type === "tuple" ? `(${all(arg.items).join(", ")})` : `[${all(arg.items).join(", ")}]`;
    case "map":
      return `{${all(arg.items)
        .map((text, i) => `${arg.keys?.[i]?.text ?? ""}: ${text}`)
        .join(", ")}}`;
    case "slice":
      return all([arg.start, arg.stop, arg.step]).join(":");
  }
}
