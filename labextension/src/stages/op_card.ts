/** `unknown` → the card of an op; anything else is refused. */
import type { Snapshot } from "../snapshot";
import { UnreadableStages } from "./narrow";
import type { DialectRule, DtypeRule, OpCard, OpTag } from "./schema";

export function asCard(raw: unknown): OpCard {
  const card = record(raw);
  const { op, type, tags = [], dialects = [], dtypes, effects = [], made_of = [] } = card;
  const isCard =
    typeof op === "string" &&
    typeof type === "string" &&
    listOf(tags, isTag) &&
    listOf(dialects, isDialectRule) &&
    (dtypes === undefined || dtypes === null || isDtypeRule(dtypes)) &&
    [...TEXTS].every((name) => card[name] === undefined || typeof card[name] === "string") &&
    listOf(effects, isText) &&
    listOf(made_of, isText);
  if (!isCard) throw new UnreadableStages("The op card has an unexpected format.");
  return raw as OpCard;
}

/** The nodes of a Snapshot that call an op, by the text of its target. */
export function opUses(snapshot: Snapshot, op: string): readonly number[] {
  return Array.from({ length: snapshot.nodeCount }, (_, node) => node).filter((node) => {
    const { graph, position } = snapshot.locate(node);
    return graph.op(position) === "call_function" && graph.target(position).text === op;
  });
}

const TEXTS = ["sentence", "source", "schema", "decomposition", "out_variant"] as const;

const isText = (raw: unknown): raw is string => typeof raw === "string";

const isTag = (raw: unknown): raw is OpTag => isText(record(raw)["name"]);

function isDialectRule(raw: unknown): raw is DialectRule {
  const { dialect, allowed } = record(raw);
  return isText(dialect) && (allowed === null || typeof allowed === "boolean");
}

function isDtypeRule(raw: unknown): raw is DtypeRule {
  const { arguments: names, combinations } = record(raw);
  return (
    listOf(names, isText) && listOf(combinations, (row) => listOf(row, (dtypes) => listOf(dtypes, isText)))
  );
}

const listOf = (raw: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(raw) && raw.every(is);

const record = (raw: unknown): Record<string, unknown> =>
  typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};
