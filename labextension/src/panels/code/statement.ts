/** A node as a line of Python, in parts that can be coloured and filtered; the same everywhere. */
import { type Arg, type Detail, isItem, NONE, opName, type Snapshot } from "../../snapshot";

interface Statement {
  readonly name: string;
  /** "f32[16, 64]"; empty if unknown. */
  readonly value: string;
  /** "aten.mm.default", "return"; empty for inputs. */
  readonly called: string;
  /** "(view, permute, dim=1)". */
  readonly rest: string;
}

export function statement(snapshot: Snapshot, detail: Detail, node: number): Statement {
  const { graph, position } = snapshot.locate(node);
  const call = detail.calls?.[detail.graphs[graph.number]?.calls[position] ?? NONE];
  const names = Array.from(graph.inputsOf(position), (input) => graph.name(input));
  const args = (call?.args ?? []).map((arg) => python(arg, names));
  const keywords = (call?.names ?? []).map((name, i) => {
    const value = call?.values?.[i];
    return value ? `${name}=${python(value, names)}` : name;
  });
  const name = graph.name(position);
  const target = graph.target(position);
  const text = snapshot.valueText(node);
  const value = text === "–" ? "" : text;
  switch (graph.op(position)) {
    case "placeholder":
      return { name, value, called: "", rest: args[0] === undefined ? "" : ` = ${args[0]}` };
    case "output":
      return { name: "", value: "", called: "return", rest: ` ${args[0] ?? "None"}` };
    case "get_attr":
      return { name, value, called: `self.${target.text}`, rest: "" };
    case "call_method":
      return {
        name,
        value,
        called: `${args[0] ?? ""}.${target.text}`,
        rest: `(${[...args.slice(1), ...keywords].join(", ")})`,
      };
    default:
      if (isItem(target) && args.length === 2) {
        return { name, value, called: "", rest: `${args[0]}[${args[1]}]` };
      }
      return { name, value, called: opName(target), rest: `(${[...args, ...keywords].join(", ")})` };
  }
}

/** The whole line, for filtering and copying. */
export function statementText({ name, value, called, rest }: Statement): string {
  if (called === "return") return `return${rest}`;
  const typed = value ? `${name}: ${value}` : name;
  return called === "" && (rest === "" || rest.startsWith(" ="))
    ? typed + rest
    : `${typed} = ${called}${rest}`;
}

function python(arg: Arg, names: readonly string[]): string {
  const items = (list: readonly Arg[] | undefined): string[] =>
    (list ?? []).map((item) => python(item, names));
  switch (arg.kind) {
    case "node":
      return names[arg.at] ?? "?";
    case "literal":
      if (arg.type === "str") return JSON.stringify(arg.text);
      return arg.type === "ellipsis" ? "..." : arg.text;
    case "symbol":
      return arg.expr;
    case "operator":
      return arg.text.replace(/^torch\.ops\./, "");
    case "object":
      return arg.text || `<${arg.cls}>`;
    case "sequence": {
      const inner = items(arg.items).join(", ");
      if (arg.type === "list") return `[${inner}]`;
      return `${arg.type === "tuple" ? "" : arg.type}(${inner}${arg.items?.length === 1 ? "," : ""})`;
    }
    case "map":
      return `{${items(arg.items)
        .map((item, i) => `${JSON.stringify(arg.keys?.[i]?.text ?? "")}: ${item}`)
        .join(", ")}}`;
    case "slice":
      return `slice(${items([arg.start, arg.stop, arg.step]).join(", ")})`;
  }
}
