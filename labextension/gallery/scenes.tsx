/** Every panel in every state, as data: a name, the program it needs, and what it shows. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { COMMANDS } from "../src/frame/commands";
import { groupsOf, Help } from "../src/frame/help";
import { kindLegend, makeOverlay, type Scale } from "../src/overlay";
import { useDetail } from "../src/panels/detail";
import { Legend } from "../src/panels/legend";
import { SearchBox } from "../src/panels/search/box";
import { Results } from "../src/panels/search/results";
import { SidePanel, type Tab } from "../src/panels/tabbed_panel";
import { parse as parsed, Searcher } from "../src/search";
import type { Snapshot } from "../src/snapshot";
import type { Actions, DetailState, Selection } from "../src/ui/actions";
import { nodeWhere, type Program, scopeOf } from "./programs";

export interface Scene {
  readonly name: string;
  readonly program: Program;
  readonly show: (snapshot: Snapshot) => ComponentChildren;
  readonly size?: "tall" | "short" | "wide" | "page";
}

function Side(props: { snapshot: Snapshot; selection: Selection; tab?: Tab; detail?: DetailState }) {
  const { snapshot } = props;
  const [tab, setTab] = useState<Tab>(props.tab ?? "node");
  const [selection, setSelection] = useState(props.selection);
  const read = useDetail(snapshot);
  const actions: Actions = {
    select: (nodes) => setSelection({ kind: "nodes", nodes }),
    reveal: (node) => setSelection({ kind: "node", node }),
    revealModule: (graph, scope) => setSelection({ kind: "module", graph, scope }),
    revealGraph: (graph) => setSelection({ kind: "graph", graph }),
    hover: () => undefined,
    search: () => undefined,
    copy: (text) => navigator.clipboard.writeText(text),
  };
  return (
    <SidePanel {...{ snapshot, selection, actions, tab }} detail={props.detail ?? read} onTab={setTab} />
  );
}

const node = (holds: (snapshot: Snapshot, node: number) => boolean) => (snapshot: Snapshot) => (
  <Side
    snapshot={snapshot}
    selection={{ kind: "node", node: nodeWhere(snapshot, (each) => holds(snapshot, each)) }}
  />
);

const named = (name: string) => node((snapshot, each) => snapshot.name(each) === name);

const selected = (of: (snapshot: Snapshot) => Selection, tab?: Tab) => (snapshot: Snapshot) => (
  <Side snapshot={snapshot} selection={of(snapshot)} {...(tab && { tab })} />
);

function Search({ snapshot, query, step = 0 }: { snapshot: Snapshot; query: string; step?: number }) {
  const [text, setText] = useState(query);
  const [at, setAt] = useState(step);
  let nodes: Int32Array | undefined;
  try {
    nodes = new Searcher(snapshot).match(parsed(text));
  } catch {
    nodes = new Int32Array(0);
  }
  const actions = { hover: () => undefined } as unknown as Actions;
  return (
    <>
      <div class="padded">
        <SearchBox
          {...{ snapshot, at }}
          query={text}
          count={nodes.length}
          onQuery={setText}
          onStep={(by) => setAt((before) => before + by)}
        />
      </div>
      <Results {...{ snapshot, actions, nodes, at }} onPick={setAt} />
    </>
  );
}

function Legends({ snapshot }: { snapshot: Snapshot }) {
  const [scale, setScale] = useState<Scale>("log");
  const nodes = Array.from({ length: snapshot.nodeCount }, (_, each) => each);
  const overlays = ["bytes", "dtype", "module"].flatMap(
    (name) => makeOverlay(snapshot, nodes, { name, scale }, []) ?? [],
  );
  return (
    <div class="padded" style={{ display: "grid", gap: "10px" }}>
      {[kindLegend(snapshot, nodes), ...overlays.map(({ legend }) => legend)].map((legend) => (
        <Legend key={legend.title} {...{ legend, scale }} onScale={setScale} />
      ))}
    </div>
  );
}

const NOTHING: Selection = { kind: "nothing" };
const FAILED: DetailState = {
  state: "failed",
  problem: "The kernel is gone. What the picture needs is here; the rest was never sent.",
  retry: () => undefined,
};

export const SCENES: readonly Scene[] = [
  { name: "program", program: "llama", show: selected(() => NOTHING) },
  { name: "node: mm", program: "llama", show: named("mm_35"), size: "tall" },
  {
    name: "node: many arguments",
    program: "llama",
    show: node((s, n) => s.name(n).startsWith("_scaled_dot_product") || s.target(n).name === "slice"),
  },
  {
    name: "node: many users",
    program: "llama",
    show: node((s, n) => s.locate(n).graph.usersOf(s.locate(n).position).length > 12),
  },
  { name: "node: parameter", program: "llama", show: node((s, n) => s.inputSpec(n)?.kind === "parameter") },
  {
    name: "node: buffer written",
    program: "buffers",
    show: node((s, n) => s.inputSpec(n)?.kind === "buffer"),
  },
  { name: "node: cond", program: "control", show: named("cond") },
  { name: "node: assert", program: "unbacked", show: named("_assert_scalar_default_2") },
  { name: "node: output", program: "llama", show: named("output") },
  {
    name: "node: hostile",
    program: "hostile",
    show: node((s, n) => s.inputSpec(n)?.target?.includes("<") === true),
  },
  {
    name: "module",
    program: "llama",
    show: selected((s) => ({
      kind: "module",
      graph: 0,
      scope: scopeOf(s, "model.layers.5"),
      equal: Array.from({ length: 32 }, (_, i) => scopeOf(s, `model.layers.${i}`)),
    })),
  },
  {
    name: "module called twice",
    program: "twice",
    show: selected((s) => ({
      kind: "module",
      graph: 0,
      scope: s.scopes.findIndex(({ call = 0 }) => call > 0),
    })),
  },
  {
    name: "graph",
    program: "control",
    show: selected((s) => ({ kind: "graph", graph: s.graphs.length - 1 })),
  },
  {
    name: "edge",
    program: "llama",
    show: selected((s) => {
      const from = nodeWhere(s, (n) => s.name(n) === "mm_35");
      const { graph, position } = s.locate(from);
      return {
        kind: "edge",
        node: from,
        users: Array.from(graph.usersOf(position), (user) => graph.base + user),
      };
    }),
  },
  {
    name: "several",
    program: "llama",
    show: selected((s) => ({ kind: "nodes", nodes: [...new Searcher(s).match(parsed("in:layers.3"))] })),
  },
  {
    name: "code",
    program: "llama",
    show: selected((s) => ({ kind: "node", node: nodeWhere(s, (n) => s.name(n) === "mm_35") }), "code"),
  },
  { name: "code: huge", program: "deep", show: selected(() => NOTHING, "code") },
  { name: "code: nested graphs", program: "control", show: selected(() => NOTHING, "code") },
  {
    name: "busy",
    program: "llama",
    show: (s) => <Side snapshot={s} selection={NOTHING} tab="code" detail={{ state: "busy" }} />,
    size: "short",
  },
  {
    name: "failed",
    program: "llama",
    show: (s) => <Side snapshot={s} selection={NOTHING} tab="code" detail={FAILED} />,
    size: "short",
  },
  {
    name: "search",
    program: "llama",
    show: (s) => <Search snapshot={s} query="op:mm in:layers.5" step={2} />,
  },
  {
    name: "search: none",
    program: "llama",
    show: (s) => <Search snapshot={s} query="op:conv2d" />,
    size: "short",
  },
  {
    name: "search: wrong",
    program: "llama",
    show: (s) => <Search snapshot={s} query="op:mm knd:matrix" />,
    size: "short",
  },
  { name: "legends", program: "llama", show: (s) => <Legends snapshot={s} />, size: "tall" },
  {
    name: "help",
    program: "llama",
    show: () => <Help groups={groupsOf(COMMANDS)} onClose={() => undefined} onSearch={() => undefined} />,
    size: "wide",
  },
];
