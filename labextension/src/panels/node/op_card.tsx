/** A card of an op, in short: rows of facts, and reasons on request. */

import type { OpCard } from "../../stages";
import type { Here } from "../../ui/actions";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { Row, Rows } from "../../ui/section";
import { plural, visible } from "../../ui/text";

/** Rows of dtypes before the rest is counted. */
const COMBINATIONS = 4;

const DECOMPOSES: Readonly<Record<string, string>> = {
  implicit: "always (in-place or composite)",
  table: "yes, to Core ATen",
  by_name: "only when selected",
  none: "no decomposition in torch",
};

interface CardProps extends Here {
  readonly card: OpCard;
  /** All nodes of the Snapshot that call it. */
  readonly uses: readonly number[];
  /** Whether the panel already shows the schema at its top. */
  readonly hasSchema: boolean;
}

export function CardBody({ card, uses, hasSchema, ...here }: CardProps) {
  const { sentence = "", source = "", schema = "", effects = [], made_of = [] } = card;
  return (
    <div class="exirviz-card">
      {sentence && (
        <p>
          {visible(sentence)} {source && <span class="exirviz-dim">{visible(source)}</span>}
        </p>
      )}
      {schema && !hasSchema && <p class="exirviz-schema">{visible(schema)}</p>}
      <Rows>
        <Row term="uses">
          <Link title="Select all calls of this op" onClick={() => here.actions.select(uses)}>
            {plural(uses.length, "call")}
          </Link>{" "}
          in this program
        </Row>
        {made_of.length > 0 && <Row term="made of">{visible(made_of.join(", "))}</Row>}
        <Row term="dialects">
          <Dialects card={card} />
        </Row>
        {card.decomposition && schema && (
          <Row term="decomposes">{DECOMPOSES[card.decomposition] ?? visible(card.decomposition)}</Row>
        )}
        {schema && (
          <Row term="out variant">
            {card.out_variant ? (
              <code>{visible(card.out_variant)}</code>
            ) : (
              <span class="exirviz-absent">none</span>
            )}
          </Row>
        )}
        <Tags card={card} />
        {effects.length > 0 && <Row term="effects">{visible(effects.join("; "))}</Row>}
        <Dtypes card={card} />
      </Rows>
      {!card.executorch && <p class="exirviz-dim">Run "To edge" once to check ExecuTorch's rules.</p>}
    </div>
  );
}

const SIGNS = new Map<boolean | null, string>([
  [true, "✓"],
  [false, "✕"],
  [null, "?"],
]);
const WORDS = new Map<boolean | null, string>([
  [true, "allowed"],
  [false, "not allowed"],
  [null, "unknown"],
]);

function Dialects({ card: { dialects = [] } }: { card: OpCard }) {
  const reasons = new Map<string, string[]>();
  for (const { dialect, allowed, reason } of dialects) {
    if (allowed !== true && reason) reasons.set(reason, [...(reasons.get(reason) ?? []), dialect]);
  }
  return (
    <>
      <span class="exirviz-marks">
        {dialects.map(({ dialect, allowed, reason = "" }) => (
          <span
            key={dialect}
            class={`exirviz-mark ${allowed ? "is-yes" : "is-no"}`}
            title={visible(reason || (WORDS.get(allowed) ?? ""))}
          >
            <span aria-hidden="true">{SIGNS.get(allowed)}</span>
            <span class="exirviz-hidden">{WORDS.get(allowed)} in </span> {dialect}
          </span>
        ))}
      </span>
      {[...reasons].map(([reason, where]) => (
        <span key={reason} class="exirviz-card-reason exirviz-dim">
          {where.join(", ")}: {visible(reason)}
        </span>
      ))}
    </>
  );
}

function Tags({ card: { tags = [] } }: { card: OpCard }) {
  if (tags.length === 0) return null;
  return (
    <Row term="tags">
      <span class="exirviz-marks">
        {tags.map(({ name, about = "" }) => (
          <span key={name} class="exirviz-mark" title={visible(about)}>
            {visible(name)}
          </span>
        ))}
      </span>
    </Row>
  );
}

function Dtypes({ card: { dtypes } }: { card: OpCard }) {
  if (!dtypes) return null;
  const names = dtypes.arguments.map((name) => name.replace("__ret_", "result "));
  return (
    <Row term="edge dtypes" note="Dtype combinations that the edge dialect allows">
      <More
        items={dtypes.combinations}
        first={COMBINATIONS}
        of="combinations"
        each={(row, i) => (
          <span key={i} class="exirviz-card-dtypes">
            {row.map((each, at) => (
              <span key={at}>
                <span class="exirviz-dim">{visible(names[at] ?? "")}</span> {visible(each.join(" "))}
              </span>
            ))}
          </span>
        )}
      />
    </Row>
  );
}
