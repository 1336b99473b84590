/** The symbols of a method: where each occurs, its range, and a slider that tries another size. */
import { useState } from "preact/hooks";
import { byteText, type Formula, grouped, type PageShapes, type Symbol as Sym } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { NodeLink } from "../../ui/links";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import type { WhatIf } from "../actions";
import { bound, finite, inputAndResultBytes, sizesOfExampleInputs, violated } from "./facts";

interface SymbolsProps extends Here {
  readonly method: number;
  readonly symbols: readonly Sym[];
  readonly shapes: PageShapes | undefined;
  readonly counts: ReadonlyMap<string, number>;
  readonly whatIf: WhatIf | undefined;
}

/** A size that was refused, and the condition that it violates. */
interface Refused {
  readonly name: string;
  readonly size: number;
  readonly condition: Formula;
}

export function Symbols({ method, symbols, shapes, counts, whatIf, ...here }: SymbolsProps) {
  const [refused, refuse] = useState<Refused>();
  const tried = whatIf?.values.sizes;
  const sizes = new Map([...sizesOfExampleInputs(symbols), ...(tried ?? [])]);
  const tryOne = (name: string, size: number): void => {
    const wanted = new Map(sizes).set(name, size);
    const condition = shapes && violated(shapes, wanted);
    refuse(condition && { name, size, condition });
    if (!condition) whatIf?.trySizes(wanted);
  };
  const reset = (): void => {
    refuse(undefined);
    whatIf?.trySizes(undefined);
  };
  return (
    <Section title="Symbols" aside={symbols.length || undefined}>
      {symbols.length === 0 && <Absent>All shapes are static. Use dynamic_shapes for symbolic sizes.</Absent>}
      {symbols.map((symbol) => (
        <SymbolCard
          key={symbol.name}
          {...here}
          symbol={symbol}
          graph={here.snapshot.methods[method]?.graph ?? 0}
          count={counts.get(symbol.name) ?? 0}
          size={sizes.get(symbol.name)}
          refused={refused?.name === symbol.name ? refused : undefined}
          onTry={whatIf && shapes ? (size) => tryOne(symbol.name, size) : undefined}
        />
      ))}
      {whatIf && shapes && symbols.length > 0 && (
        <Totals whatIf={whatIf} method={method} isTried={tried !== undefined} onReset={reset} />
      )}
    </Section>
  );
}

interface CardProps extends Here {
  readonly symbol: Sym;
  readonly graph: number;
  /** How many nodes have it in their shape. */
  readonly count: number;
  readonly size: number | undefined;
  readonly refused: Refused | undefined;
  readonly onTry: ((size: number) => void) | undefined;
}

function SymbolCard({ symbol, graph, count, size, refused, onTry, ...here }: CardProps) {
  const { snapshot, actions } = here;
  const { name, type, backed, lower, upper, hint, bindings = [] } = symbol;
  const [torch] = [...snapshot.userNames].find(([, users]) => users === name) ?? [];
  return (
    <div class="exirviz-symbol">
      <div class="exirviz-symbol-head">
        <code class="exirviz-symbol-name">{visible(name)}</code>
        {torch !== undefined && (
          <span class="exirviz-type" title="Name in torch">
            {visible(torch)}
          </span>
        )}
        <span class="exirviz-type">{type}</span>
        <span
          class="exirviz-badge"
          title={backed ? "known from the example inputs" : "known only at run time"}
        >
          {backed ? "backed" : "unbacked"}
        </span>
        <button
          type="button"
          class="exirviz-link exirviz-symbol-nodes"
          title="Highlight them in the picture"
          disabled={count === 0}
          onClick={() => actions.search(`symbol:${name}`)}
        >
          {plural(count, "node")}
        </button>
      </div>
      {onTry && type === "int" && <SizeSlider symbol={symbol} size={size} refused={refused} onTry={onTry} />}
      <Rows>
        <Row term="range">
          <code>
            {visible(bound(lower))} … {visible(bound(upper))}
          </code>
        </Row>
        <Row term="example">{hint === undefined ? <Absent>none</Absent> : <code>{visible(hint)}</code>}</Row>
        <Row term="bound by">
          {bindings.length === 0 && <Absent>no node</Absent>}
          <span class="exirviz-names">
            {bindings.map(({ node, path }) => {
              const position = snapshot.graph(graph).position(node);
              return (
                <span key={node + path}>
                  {position === undefined ? (
                    <Clip text={node} />
                  ) : (
                    <NodeLink {...here} node={snapshot.graph(graph).base + position} />
                  )}
                  <code class="exirviz-dim">.{visible(path)}</code>
                </span>
              );
            })}
          </span>
        </Row>
      </Rows>
    </div>
  );
}

/** Without an upper bound the slider ends here, and the field goes on. */
const LEAST_END = 128;

function SizeSlider({
  symbol: { name, lower, upper, hint },
  size,
  refused,
  onTry,
}: Pick<CardProps, "symbol" | "size" | "refused"> & { onTry: (size: number) => void }) {
  const least = Math.max(0, finite(lower) ?? 0);
  const most = finite(upper) ?? Math.max(LEAST_END, 4 * (finite(hint) ?? 0));
  const shown = refused?.size ?? size;
  const change = (text: string): void => {
    const wanted = finite(text);
    if (wanted !== undefined) onTry(wanted);
  };
  return (
    <>
      <div class="exirviz-size">
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
          <code>{visible(refused.condition.expr)}</code>
          {refused.condition.lines?.length ? ` (${visible(refused.condition.lines.join(", "))})` : ""}
        </p>
      )}
    </>
  );
}

function Totals({
  whatIf,
  method,
  isTried,
  onReset,
}: {
  whatIf: WhatIf;
  method: number;
  isTried: boolean;
  onReset: () => void;
}) {
  if (!isTried) {
    return (
      <p class="exirviz-hint">
        Move a slider: the picture shows shapes, bytes and, after a sweep, costs for it.
      </p>
    );
  }
  const { inputs, results } = inputAndResultBytes(whatIf.values, method);
  return (
    <>
      <div class="exirviz-size-totals">
        <span>
          Inputs and state {byteText(inputs)}, results of all ops {byteText(results)}
        </span>
        <button type="button" class="exirviz-quiet" onClick={onReset}>
          Reset
        </button>
      </div>
      {whatIf.costsText && <p class="exirviz-hint">{visible(whatIf.costsText)}</p>}
    </>
  );
}
