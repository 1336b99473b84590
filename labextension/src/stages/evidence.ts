/** Evidence of links: which kinds are exact, which are inferred, and the text of each. */
import { EVIDENCE, type Evidence, EXACT } from "./schema";

const TEXTS: Readonly<Record<Evidence, string>> = {
  identity: "same node",
  from_node: "from_node",
  delegate_map: "delegate map",
  debug_handle: "debug handle",
  generated_code: "generated code",
  structure: "inferred: same structure",
  name: "inferred: same name",
};

export const isEvidence = (x: unknown): x is Evidence => EVIDENCE.includes(x as Evidence);

export const isInferred = (evidence: Evidence): boolean => !(EXACT as readonly Evidence[]).includes(evidence);

export const evidenceText = (evidence: Evidence): string => TEXTS[evidence];

const rank = (evidence: Evidence): number => EVIDENCE.indexOf(evidence);

/** A chain is as strong as its weakest link; undefined for an empty chain. */
export function weakest(chain: readonly Evidence[]): Evidence | undefined {
  let found: Evidence | undefined;
  for (const each of chain) if (found === undefined || rank(each) > rank(found)) found = each;
  return found;
}

/** Whether a chain is stronger than another; if equal, whether it is shorter. */
export function isStronger(a: readonly Evidence[], b: readonly Evidence[]): boolean {
  const [one, other] = [weakest(a), weakest(b)].map((each) => (each ? rank(each) : -1)) as [number, number];
  return one < other || (one === other && a.length < b.length);
}
