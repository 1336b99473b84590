/** The symbols of the method that is shown: their ranges, where they are bound, and the guards. */
import type { JSX } from "preact";
import type { MethodRecord, Symbol as Sym } from "../snapshot";
import { useDetail, useExplorer, usePart } from "./context";
import { Fact, Facts, NodeLink, Nothing, Section } from "./parts";

export function ShapesPanel(): JSX.Element {
  const { snapshot } = useExplorer();
  const graph = usePart((state) => state.picture.graph);
  const loaded = useDetail();
  const number = snapshot.methodOf(graph.number);
  const method: MethodRecord | undefined = snapshot.methods[number];
  const symbols = method?.symbols ?? [];
  const ranges = method?.ranges ?? [];
  const guards = "detail" in loaded ? (loaded.detail.methods[number]?.guards ?? []) : [];
  if (symbols.length === 0 && ranges.length === 0) {
    return (
      <Nothing>
        Every shape of this program is a fixed number. Export with dynamic_shapes to see symbols, their ranges
        and guards here.
      </Nothing>
    );
  }
  return (
    <>
      {symbols.map((symbol) => (
        <Section key={symbol.name} title={symbol.dim ? `${symbol.name} · ${symbol.dim}` : symbol.name}>
          <SymbolFacts symbol={symbol} />
        </Section>
      ))}
      {ranges.length > 0 && (
        <Section title="Range constraints">
          <Facts>
            {ranges.map((range) => (
              <Fact key={range.expr} name={range.expr}>
                {bound(range.lower)} … {bound(range.upper)}
              </Fact>
            ))}
          </Facts>
        </Section>
      )}
      {guards.length > 0 && (
        <Section title="Guards">
          {guards.slice(0, 200).map((guard) => (
            <div key={guard}>
              <code>{guard}</code>
            </div>
          ))}
        </Section>
      )}
    </>
  );
}

function SymbolFacts({ symbol }: { symbol: Sym }): JSX.Element {
  const explorer = useExplorer();
  return (
    <Facts>
      <Fact name="range">
        {bound(symbol.lower)} … {bound(symbol.upper)}
      </Fact>
      <Fact name="example">{symbol.hint ?? "known only when the program runs"}</Fact>
      <Fact name="kind">
        {symbol.type}, {symbol.backed ? "backed by an input" : "unbacked"}
      </Fact>
      {(symbol.bindings ?? []).map((binding) => {
        const node = explorer.snapshot.find(binding.node);
        return (
          <Fact key={`${binding.node}${binding.path}`} name="read at">
            {node === undefined ? <code>{binding.node}</code> : <NodeLink node={node} />}
            <code>.{binding.path}</code>
          </Fact>
        );
      })}
      <Fact name="seen in">
        <button
          type="button"
          class="exirviz-link"
          onClick={() => void explorer.search.ask(`symbol:${symbol.name}`)}
        >
          its nodes
        </button>
      </Fact>
    </Facts>
  );
}

const bound = (text: string | undefined): string => (text === undefined ? "?" : text.replace("int_oo", "∞"));
