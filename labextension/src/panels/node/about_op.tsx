/**
 * Facts about an op: what it does, where it is allowed, what it decomposes into, which dtypes it accepts, and
 * where the program calls it. The kernel reads them from torch's and ExecuTorch's tables when this section is
 * opened.
 */
import { useEffect, useState } from "preact/hooks";
import { type OpCard, opUses } from "../../stages";
import type { Here } from "../../ui/actions";
import { Failed } from "../../ui/states";
import { visible } from "../../ui/text";
import type { StageAccess } from "../actions";
import { CardBody } from "./op_card";

type AboutProps = Here & { readonly node: number; readonly stages?: StageAccess | undefined };

const HOW =
  "Needs a live kernel: exir_viz.explore(module, x) in a notebook. In Python: exir_viz.explain(op).";

/** Nothing for nodes that call no op. An open section stays open from node to node. */
export function AboutOp({ stages, node, ...here }: AboutProps) {
  const { graph, position } = here.snapshot.locate(node);
  const [isOpen, setOpen] = useState(false);
  if (graph.op(position) !== "call_function") return null;
  const { text: op, schema } = graph.target(position);
  const explain = stages?.explain ?? HOW;
  return (
    <section class="exirviz-section" aria-label="About this op">
      <details
        class="exirviz-about-op"
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>About this op</summary>
        {isOpen && typeof explain === "string" && <p class="exirviz-dim">{visible(explain)}</p>}
        {isOpen && typeof explain !== "string" && (
          <OpFacts {...here} op={op} hasSchema={!!schema} explain={explain} />
        )}
      </details>
    </section>
  );
}

type Loaded = { readonly of: string; readonly card?: OpCard; readonly problem?: string };

interface FactsProps extends Here {
  readonly op: string;
  readonly hasSchema: boolean;
  readonly explain: (op: string) => Promise<OpCard>;
}

function OpFacts({ op, hasSchema, explain, ...here }: FactsProps) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    explain(op).then(
      (card) => isWanted && setLoaded({ of: op, card }),
      (problem: unknown) =>
        isWanted &&
        setLoaded({ of: op, problem: problem instanceof Error ? problem.message : String(problem) }),
    );
    return () => {
      isWanted = false;
    };
  }, [op, tries]);
  if (loaded?.of !== op) return <p class="exirviz-dim">Looking up…</p>;
  if (loaded.card) {
    return <CardBody {...here} card={loaded.card} uses={opUses(here.snapshot, op)} hasSchema={hasSchema} />;
  }
  const again = (): void => {
    setLoaded(undefined);
    setTries(tries + 1);
  };
  return <Failed what="Could not look up this op" why={loaded.problem ?? ""} onRetry={again} />;
}
