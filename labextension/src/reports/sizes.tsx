/** The sliders of a report: other sizes of symbols, for which formulas are evaluated and the picture is drawn. */
import { useMemo, useState } from "preact/hooks";
import {
  byteText,
  doesWork,
  evaluatePostfix,
  type Formulas,
  grouped,
  NONE,
  type NodeValues,
  type SymbolValues,
} from "../snapshot";
import { Section } from "../ui/section";
import { visible } from "../ui/text";
import type { ShownReport } from "./reports";
import type { Formula, Slider } from "./schema";

/** The shapes and bytes that the picture draws, and how to draw them for other sizes of symbols. */
export interface WhatIf {
  readonly values: NodeValues;
  /** What the costs are for these sizes; "" if there is nothing to say. */
  readonly costsText?: string;
  /** `formulas`: how sizes follow from those of symbols. Without sizes: as the program has them. */
  trySizes(sizes: SymbolValues | undefined, formulas?: Formulas): void;
}

/** What sizes violate, and the lines that caused it. */
interface Violated {
  readonly condition: string;
  readonly reason?: string | undefined;
}

/** A formula for the sizes that are tried; undefined without any, and where it cannot be evaluated. */
export function evaluated(
  { postfix = "" }: Formula,
  tried: SymbolValues | undefined,
): number | boolean | undefined {
  return postfix && tried ? evaluatePostfix(postfix, tried) : undefined;
}

/** The first end of a range, or condition of a row, that sizes violate. */
function violated({ sliders = [], sections = [] }: ShownReport, sizes: SymbolValues): Violated | undefined {
  for (const { name, lower, upper } of sliders) {
    const size = sizes.get(name);
    if (size === undefined) continue;
    if (typeof lower === "number" && size < lower) return { condition: `${name} >= ${lower}` };
    if (typeof upper === "number" && size > upper) return { condition: `${name} <= ${upper}` };
  }
  for (const { formula, reason } of sections.flatMap(({ rows }) => rows)) {
    if (formula?.is_condition && evaluated(formula, sizes) === false) {
      return { condition: formula.expr, reason };
    }
  }
  return undefined;
}

/** A size that was refused. */
interface Refused extends Violated {
  readonly name: string;
  readonly size: number;
}

export function Sliders({ report, whatIf }: { report: ShownReport; whatIf: WhatIf }) {
  const { sliders = [], sections = [] } = report;
  const [refused, refuse] = useState<Refused>();
  const formulas = useMemo(
    () =>
      new Map(
        sections.flatMap(({ rows }) =>
          rows.flatMap(({ formula }) => (formula?.postfix ? [[formula.expr, formula.postfix] as const] : [])),
        ),
      ),
    [sections],
  );
  const tried = whatIf.values.sizes;
  const examples = sliders.flatMap(({ name, example }) =>
    typeof example === "number" ? [[name, example] as const] : [],
  );
  const sizes = new Map([...examples, ...(tried ?? [])]);
  const choose = (name: string, size: number): void => {
    const wanted = new Map(sizes).set(name, size);
    const why = violated(report, wanted);
    refuse(why && { ...why, name, size });
    if (!why) whatIf.trySizes(wanted, formulas);
  };
  const reset = (): void => {
    refuse(undefined);
    whatIf.trySizes(undefined);
  };
  return (
    <Section title="Sizes to try">
      {sliders.map((slider) => (
        <SizeSlider
          key={slider.name}
          slider={slider}
          size={sizes.get(slider.name)}
          refused={refused?.name === slider.name ? refused : undefined}
          onChoose={(size) => choose(slider.name, size)}
        />
      ))}
      {tried ? (
        <Totals whatIf={whatIf} onReset={reset} />
      ) : (
        <p class="exirviz-hint">
          Move a slider: the picture shows shapes, bytes and, after a sweep, costs for it.
        </p>
      )}
    </Section>
  );
}

/** Without an upper bound the slider ends here, and the field goes on. */
const LEAST_END = 128;

function SizeSlider({
  slider: { name, lower, upper, example },
  size,
  refused,
  onChoose,
}: {
  slider: Slider;
  size: number | undefined;
  refused: Refused | undefined;
  onChoose: (size: number) => void;
}) {
  const least = Math.max(0, lower ?? 0);
  const most = upper ?? Math.max(LEAST_END, 4 * (example ?? 0));
  const shown = refused?.size ?? size;
  const change = (text: string): void => {
    if (/^-?\d+$/.test(text)) onChoose(Number(text));
  };
  return (
    <>
      <div class="exirviz-size">
        <code class="exirviz-size-name">{visible(name)}</code>
        <input
          type="range"
          class="exirviz-size-slider"
          aria-label={`Size of ${name}`}
          min={least}
          max={most}
          value={Math.min(most, shown ?? least)}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <input
          type="number"
          class="exirviz-input exirviz-size-field"
          aria-label={`Size of ${name} as a number`}
          aria-invalid={refused !== undefined}
          placeholder="size"
          value={shown ?? ""}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </div>
      {refused && (
        <p class="exirviz-size-refused" role="alert">
          {visible(name)} = {grouped(refused.size)} is not possible: the program requires{" "}
          <code>{visible(refused.condition)}</code>
          {refused.reason && ` (${visible(refused.reason)})`}
        </p>
      )}
    </>
  );
}

/** What the sizes cost. */
function Totals({ whatIf, onReset }: { whatIf: WhatIf; onReset: () => void }) {
  const { values, costsText } = whatIf;
  const { methods } = values.snapshot;
  return (
    <>
      <div class="exirviz-size-totals">
        <span>
          {methods.map(({ name }, method) => {
            const { inputs, results } = inputAndResultBytes(values, method);
            return (
              <div key={name}>
                {methods.length > 1 && `${visible(name)}: `}
                Inputs and state {byteText(inputs)}, results of all ops {byteText(results)}
              </div>
            );
          })}
        </span>
        <button type="button" class="exirviz-quiet" onClick={onReset}>
          Reset
        </button>
      </div>
      {costsText && <p class="exirviz-hint">{visible(costsText)}</p>}
    </>
  );
}

/** The bytes of a method's inputs with its state, and of the results of its ops, as far as they are known. */
export function inputAndResultBytes(values: NodeValues, method: number): { inputs: number; results: number } {
  const { snapshot } = values;
  const bytes = { inputs: 0, results: 0 };
  for (const graph of snapshot.graphs) {
    if (snapshot.methodOf(graph.number) !== method) continue;
    for (let position = 0; position < graph.count; position++) {
      const op = graph.op(position);
      const isInput = op === "placeholder" && graph.columns.parent === NONE;
      if (!isInput && !(graph.computes(position) && doesWork(graph.target(position)))) continue;
      bytes[isInput ? "inputs" : "results"] += values.bytes(graph.base + position) ?? 0;
    }
  }
  return bytes;
}
