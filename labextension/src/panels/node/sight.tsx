/** The line of sight as a ladder. */
import type { Detail } from "../../snapshot";
import type { Here } from "../actions";
import { Clip } from "../parts/clip";
import { Absent, Section } from "../parts/section";
import { visible } from "../parts/text";
import { lineOfSight } from "./lineage";

/** Names on one rung before the rest is counted. */
const NAMES = 6;

export function Sight({ snapshot, detail, node }: Here & { detail: Detail; node: number }) {
  const rungs = lineOfSight(snapshot, detail, node);
  return (
    <Section title="Line of sight">
      {rungs.length === 1 && <Absent>Nothing leads here: no stack trace, no torch_fn, no from_node.</Absent>}
      {rungs.length > 1 && (
        <ol class="ev-ladder">
          {rungs.map(({ names, target, evidence, more, type }, i) => (
            <li key={i} class={`ev-rung ev-rung-${type}`}>
              <span class="ev-rung-name">
                {i > 0 && (
                  <span class="ev-dim" aria-hidden="true">
                    ↳{" "}
                  </span>
                )}
                <Clip text={names.slice(0, NAMES).join(", ")} />
                {names.length > NAMES && <span class="ev-dim"> +{names.length - NAMES}</span>}
                {target && <span class="ev-rung-target"> {visible(target)}</span>}
              </span>
              <span class="ev-evidence" title={visible(evidence)}>
                {visible(evidence)}
              </span>
              {more && (
                <span class="ev-rung-more">
                  <Clip text={more} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
