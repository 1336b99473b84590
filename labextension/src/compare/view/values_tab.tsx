/** Where the values of both programs diverge: the run, its summary, and the list of pairs. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { grouped } from "../../snapshot";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { List } from "../../ui/list";
import { Row, Rows, Section } from "../../ui/section";
import { Empty } from "../../ui/states";
import { plural, visible } from "../../ui/text";
import {
  amountText,
  apartText,
  cosineText,
  healthText,
  ofText,
  relativeText,
  snrText,
} from "../values/number_text";
import type { NumberRow, ValuesRecord } from "../values/schema";
import { distance, firstWords, type ValueDiff } from "../values/value_diff";
import { isDoubtful, ranText, whatRan } from "../values/what_ran";
import { useColumns, useMeasured, useMeasuring, usePair, usePairPart } from "./context";
import { Devices } from "./devices";
import { Problem, RunningBoth } from "./panel_parts";

const ROW = 40;
/** Dialects that the ExecuTorch runtime can run. */
const LOWERED: ReadonlySet<string> = new Set(["edge", "backend", "executorch"]);
type Executor = "cpu" | "executorch";
const USUAL = { rtol: 1e-3, atol: 1e-5 } as const;

export function ValuesTab(): JSX.Element {
  const values = useMeasured((state) => state.values);
  return (
    <>
      <Ask key={values ? "again" : "first"} last={values?.record} />
      {values ? (
        <>
          <Verdict values={values} />
          <Devices values={values} />
          <Pairs values={values} />
        </>
      ) : (
        <Empty title="No values yet">
          Run both to see where values first diverge, by how much, and where NaNs appear.
        </Empty>
      )}
    </>
  );
}

/** The tolerance, and the button. */
function Ask({ last }: { last: ValuesRecord | undefined }): JSX.Element | null {
  const isAgain = last !== undefined;
  const measuring = useMeasuring();
  const running = useMeasured((state) => state.running);
  const isLowered = usePair().changes.snapshots[1].methods.some(({ dialect }) => LOWERED.has(dialect));
  const [rtol, setRtol] = useState<number>(last?.rtol ?? USUAL.rtol);
  const [atol, setAtol] = useState<number>(last?.atol ?? USUAL.atol);
  const [executor, setExecutor] = useState<Executor>(last?.executor === "executorch" ? "executorch" : "cpu");
  const why = measuring.whyNoValues;
  if (why) {
    return isAgain ? null : (
      <Section title="Compare values">
        <p class="exirviz-dim">{visible(why)}</p>
        <Problem />
      </Section>
    );
  }
  const field = (name: string, value: number, set: (value: number) => void, title: string): JSX.Element => (
    <label title={title}>
      {name}{" "}
      <input
        type="number"
        class="exirviz-input is-fraction"
        min={0}
        step="any"
        value={value}
        onInput={({ currentTarget }) => set(Math.max(0, currentTarget.valueAsNumber || 0))}
      />
    </label>
  );
  return (
    <Section title={isAgain ? "Compare values again" : "Compare values"}>
      {running === "values" ? (
        <RunningBoth />
      ) : (
        <form
          class="exirviz-measure"
          onSubmit={(event) => {
            event.preventDefault();
            void measuring.compareValues({ rtol, atol, ...(isLowered && { executor }) });
          }}
        >
          {isLowered && (
            <label title="What runs the second program">
              Run in{" "}
              <select
                value={executor}
                onChange={({ currentTarget }) => setExecutor(currentTarget.value as Executor)}
              >
                <option value="cpu">eager torch</option>
                <option value="executorch">ExecuTorch runtime</option>
              </select>
            </label>
          )}
          {field("rtol", rtol, setRtol, "× the largest magnitude in the first program")}
          {field("atol", atol, setAtol, "allowed absolute difference")}
          <button
            type="submit"
            class="exirviz-panel-button exirviz-measure-go"
            disabled={running !== undefined}
          >
            Compare values
          </button>
        </form>
      )}
      <Problem />
    </Section>
  );
}

function Verdict({ values }: { values: ValueDiff }): JSX.Element {
  const pair = usePair();
  const columns = useColumns();
  const { record, first } = values;
  const { outputs = [], notes = [], coarse = [], rtol, atol } = record;
  const rounded = coarse.map(
    ([dtype, most]) => `; ${amountText(most)} × for values computed in ${dtypeText(dtype)}`,
  );
  const diverged = values.diverged.length;
  const { a, b } = pair.changes.comparison;
  const name = (side: 0 | 1, node: number): string => visible(pair.changes.snapshots[side].name(node));
  return (
    <Section title="Divergence" aside={`${grouped(diverged)} of ${plural(values.rows.length, "pair")}`}>
      {first ? (
        <p class="exirviz-became">
          {first.probable ? "probably first diverges at" : "first diverges at"}{" "}
          <Link onClick={() => void columns.show(first.match)}>
            {name(0, first.a)} → {name(1, first.b)}
          </Link>
          : {apartText(first.numbers)}
        </p>
      ) : (
        <p>{withoutOrigin(values)}</p>
      )}
      <Others values={values} name={name} />
      {[0, 1].flatMap((side) =>
        values.producers(side as 0 | 1).map(({ node, trouble, count }) => (
          <p key={`${side} ${trouble}`} class="exirviz-trouble">
            the first {trouble === "nan" ? "NaN" : "Inf"} {visible(ofText(side as 0 | 1, a, b))} comes from{" "}
            <Link onClick={() => void columns.row.explorer(pair.at + side).reveal(node)}>
              {name(side as 0 | 1, node)}
            </Link>
            : {plural(count, "element")}
          </p>
        )),
      )}
      <p class="exirviz-dim">
        Mismatch: max |a − b| &gt; {amountText(atol)} + {amountText(rtol)} × max |a|{rounded}
      </p>
      <Rows>
        {whatRan(record) && <Row term="what ran">{whatRan(record)}</Row>}
        {(record.samples ?? 1) > 1 && <Row term="inputs">{plural(record.samples ?? 1, "input")}</Row>}
        {(record.metrics ?? []).map(([before, after], at) => (
          <Row key={at} term={`metric ${at + 1}`}>
            {amountText(before)} → {amountText(after)}
          </Row>
        ))}
        {outputs.map(({ name: output, numbers, reason = "", ran }) => (
          <Row key={output} term={visible(output)}>
            {numbers ? (
              <span class={numbers.diverged ? "exirviz-diverged" : ""}>
                {numbers.diverged ? "≠ " : ""}
                {[apartText(numbers), numbers.snr === undefined ? "" : snrText(numbers), ranText(ran)]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
            ) : (
              <span class="exirviz-trouble">not compared: {visible(reason)}</span>
            )}
          </Row>
        ))}
      </Rows>
      {notes.map((note) => (
        <p key={note} class="exirviz-dim">
          {visible(note)}
        </p>
      ))}
      <Left values={values} />
    </Section>
  );
}

const dtypeText = (dtype: string): string => (dtype === "quantized" ? "8-bit integers" : visible(dtype));

function withoutOrigin({ diverged, record: { outputs = [] } }: ValueDiff): string {
  if (diverged.length) return PROBABLE;
  if (outputs.some(({ numbers }) => numbers?.diverged)) return OUTPUTS_ONLY;
  return isDoubtful(outputs) ? DOUBTFUL : "No mismatch";
}

/** The other origins, which do not follow from the first. */
function Others({ values, name }: { values: ValueDiff; name: NameOf }): JSX.Element | null {
  const columns = useColumns();
  const { others, origins, first } = values;
  const more = origins.length - others.length - (first?.origin ? 1 : 0);
  if (!others.length) return null;
  return (
    <p class="exirviz-became">
      and independently at{" "}
      {others.map((row, i) => (
        <span key={`${row.a} ${row.b}`}>
          {i > 0 && ", "}
          <Link onClick={() => void columns.show(row.match)}>
            {name(0, row.a)} → {name(1, row.b)}
          </Link>
          {row.probable && " (probably)"}
        </span>
      ))}
      {more > 0 && `, ${grouped(more)} more`}
    </p>
  );
}

type NameOf = (side: 0 | 1, node: number) => string;

/** What was not compared, by reason. */
function Left({ values: { left } }: { values: ValueDiff }): JSX.Element {
  return (
    <>
      {left.map(([why, count]) => (
        <p key={why} class="exirviz-dim">
          {grouped(count)} not compared: {visible(why)}
        </p>
      ))}
    </>
  );
}

const ORDERS = {
  run: { title: "in run order", by: undefined },
  apart: { title: "furthest apart", by: (row: NumberRow) => -distance(row) },
  max_abs: { title: "max abs", by: ({ numbers }: NumberRow) => -(numbers.max_abs ?? 0) },
  snr: { title: "least SNR", by: ({ numbers }: NumberRow) => numbers.snr ?? Number.POSITIVE_INFINITY },
  cosine: {
    title: "least cosine",
    by: ({ numbers }: NumberRow) => numbers.cosine ?? Number.POSITIVE_INFINITY,
  },
} as const;

type Order = keyof typeof ORDERS;

function Pairs({ values }: { values: ValueDiff }): JSX.Element {
  const match = usePairPart((state) => state.match);
  const [order, setOrder] = useState<Order>("run");
  const [isDivergedOnly, setDivergedOnly] = useState(false);
  const rows = useMemo(() => {
    const { by } = ORDERS[order];
    const found = isDivergedOnly ? [...values.diverged] : [...values.rows];
    return by ? found.sort((x, y) => by(x) - by(y)) : found;
  }, [values, order, isDivergedOnly]);
  const { first } = values;
  return (
    <Section title="Pairs" aside={grouped(rows.length)}>
      <div class="exirviz-filter">
        <label class="exirviz-order">
          Sorted{" "}
          <select value={order} onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}>
            {(Object.keys(ORDERS) as Order[]).map((each) => (
              <option key={each} value={each}>
                {ORDERS[each].title}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isDivergedOnly}
            onChange={({ currentTarget }) => setDivergedOnly(currentTarget.checked)}
          />{" "}
          Mismatches only
        </label>
      </div>
      {rows.length === 0 ? (
        <p class="exirviz-dim">No mismatch</p>
      ) : (
        <List
          class="exirviz-changes"
          label="Compared values"
          count={rows.length}
          rowHeight={ROW}
          reveal={rows.findIndex((row) => row.match === match)}
          revealKey={match}
          row={(index) => {
            const row = rows[index] as NumberRow;
            return (
              <PairRow
                key={`${row.a} ${row.b}`}
                row={row}
                isCurrent={row.match === match}
                isFirst={row === first}
              />
            );
          }}
        />
      )}
    </Section>
  );
}

const OUTPUTS_ONLY = "Outputs diverge, but no compared value inside does.";
const DOUBTFUL = "No mismatch, but eager torch emulated parts: the backend itself did not run.";
const PROBABLE = "The origin is unknown: the mismatched nodes are only probably counterparts.";

function PairRow({
  row,
  isCurrent,
  isFirst,
}: {
  row: NumberRow;
  isCurrent: boolean;
  isFirst: boolean;
}): JSX.Element {
  const columns = useColumns();
  const { snapshots } = usePair().changes;
  const { numbers, health_b } = row;
  const [a, b] = [visible(snapshots[0].name(row.a)), visible(snapshots[1].name(row.b))];
  const found = [
    ranText(row.ran),
    `relative ${relativeText(numbers)}`,
    `cosine ${cosineText(numbers.cosine)}`,
    snrText(numbers),
    healthText(health_b),
    row.scaled ? "scaled" : "",
  ];
  return (
    <button
      type="button"
      class={isCurrent ? "exirviz-change-row is-it" : "exirviz-change-row"}
      aria-current={isCurrent ? "true" : undefined}
      onClick={() => void columns.show(row.match)}
    >
      <span
        class={numbers.diverged ? "exirviz-sign exirviz-diverged" : "exirviz-sign"}
        title={numbers.diverged ? "mismatch" : ""}
      >
        {numbers.diverged ? "≠" : "="}
      </span>
      <span class="exirviz-change-what is-named">
        <Clip text={a === b ? a : `${a} → ${b}`} />
        {isFirst && <b class="exirviz-diverged">{firstWords(row)}</b>}
        {!isFirst && row.origin && <b class="exirviz-diverged">diverges here</b>}
      </span>
      <span class="exirviz-row-figure">{apartText(row.numbers)}</span>
      <span class="exirviz-dim exirviz-change-where">{found.filter(Boolean).join(" · ")}</span>
    </button>
  );
}
