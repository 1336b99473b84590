/** The lineage: from the user's line through each pass to a node, with evidence for every step. */
import { type Detail, framesOf, NONE, type Origin, type Snapshot, usersFrame } from "../../snapshot";

export interface LineageStep {
  readonly names: readonly string[];
  /** The op or the class: dimmed text beside the name. */
  readonly target: string;
  readonly evidence: string;
  /** The part of the evidence on its own line: "create, by Interpreter_…". */
  readonly more?: string;
  readonly type: "code" | "made" | "this";
}

export function lineageOf(snapshot: Snapshot, detail: Detail, node: number): LineageStep[] {
  const { graph, position } = snapshot.locate(node);
  const columns = detail.graphs[graph.number];
  const steps: LineageStep[] = [];
  const frames = framesOf(snapshot, detail, node);
  const frame = frames[usersFrame(frames)];
  if (frame?.code) {
    const code = frame.code.split("\n")[0]?.trim() ?? "";
    steps.push({ names: [code], target: "", evidence: `source line ${frame.line}`, type: "code" });
  }
  const torchFn = detail.torch_fns?.[columns?.torch_fns[position] ?? NONE];
  if (torchFn) {
    steps.push({ names: [calledFunction(torchFn)], target: "", evidence: "torch_fn", type: "made" });
  }
  for (const source of detail.source_fns?.[columns?.source_fns[position] ?? NONE] ?? []) {
    const { target } = source;
    steps.push({ names: [target], target: "", evidence: "source_fn_stack", type: "made" });
  }
  steps.push(...origins(detail, detail.origin_lists?.[columns?.origins[position] ?? NONE] ?? []));
  const handle = columns?.handles[position] ?? NONE;
  steps.push({
    names: [graph.name(position)],
    target: "",
    evidence: handle === NONE ? "this node" : `this node · debug_handle ${handle}`,
    type: "this",
  });
  return steps;
}

/**
 * ("linear_5", "builtin_function_or_method.linear") → "linear()". The first is torch's own count of the calls,
 * which looks like the name of a node and may be that of another one.
 */
const calledFunction = ([, target = ""]: readonly string[]): string =>
  `${target.replace(/^[^.]*\./, "") || "unknown function"}()`;

/** from_node, the earliest graph first: ancestors at equal distance share a step. */
function origins(detail: Detail, nearest: readonly number[]): LineageStep[] {
  const steps: LineageStep[] = [];
  const seen = new Set<number>();
  let level = [...nearest];
  while (level.length > 0) {
    for (const each of level) seen.add(each);
    const found = level.flatMap((each) => detail.origins?.[each] ?? []);
    if (found.length > 0) steps.unshift(step(found));
    level = [...new Set(found.flatMap(({ parents = [] }) => parents))].filter((each) => !seen.has(each));
  }
  return steps;
}

function step(found: readonly Origin[]): LineageStep {
  const unique = (of: (origin: Origin) => string): string[] => [...new Set(found.map(of).filter(Boolean))];
  const action = unique((origin) => origin.action.toLowerCase());
  const passes = unique((origin) => origin.pass_name);
  return {
    names: unique(({ name }) => name),
    target: unique(({ target }) => target).join(", "),
    evidence: "from_node",
    ...(action.length + passes.length > 0 && {
      more: [action.join(", "), passes.join(", ")].filter(Boolean).join(" by "),
    }),
    type: "made",
  };
}
