/** Static and dynamic values: what became of inputs, attributes of modules and variables of functions. */
import { useState } from "preact/hooks";
import type { Analysis, PageValue } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { capitalized, visible } from "../../ui/text";
import { Wrapped } from "../../ui/wrapped";

const FIRST_ROWS = 24;

/** What each outcome means, for tooltips; in the order of the buttons. */
const OUTCOMES: Readonly<Record<string, string>> = {
  placeholder: "An input of the graph: it may change from run to run",
  op: "The program computes it",
  "graph constant": "The program contains it, and it cannot change",
  absent: "Python used it while exporting, at most",
};

export function PythonValues({
  analysis,
  ...here
}: Here & { analysis: Pick<Analysis, "values" | "is_watched"> }) {
  const { values = [], is_watched: isWatched = false } = analysis;
  const [chosen, choose] = useState("");
  if (values.length === 0) return null;
  const counts = Object.keys(OUTCOMES).flatMap((outcome) => {
    const count = values.filter((each) => each.outcome === outcome).length;
    return count > 0 ? [{ outcome, count }] : [];
  });
  const shown = chosen ? values.filter((each) => each.outcome === chosen) : values;
  return (
    <Section title="Static and dynamic values" aside={values.length}>
      <fieldset class="exirviz-switch exirviz-outcomes" aria-label="Values that became">
        <button type="button" aria-pressed={chosen === ""} onClick={() => choose("")}>
          All
        </button>
        {counts.map(({ outcome, count }) => (
          <button
            key={outcome}
            type="button"
            aria-pressed={chosen === outcome}
            title={OUTCOMES[outcome]}
            onClick={() => choose(outcome)}
          >
            {capitalized(outcome.replace("graph ", ""))} {count}
          </button>
        ))}
      </fieldset>
      <table class="exirviz-dimensions exirviz-python-values">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">value</th>
            <th scope="col">became</th>
          </tr>
        </thead>
        <tbody>
          <More
            key={chosen}
            items={shown}
            first={FIRST_ROWS}
            of="values"
            each={(value) => (
              <Value key={`${value.role} ${value.name} ${value.place}`} {...here} value={value} />
            )}
          />
        </tbody>
      </table>
      {!isWatched && (
        <p class="exirviz-hint">
          For attributes and variables: exir_viz.explore(exir_viz.capture(model, x, watch=True)).
        </p>
      )}
    </Section>
  );
}

function Value({
  value: { name, type, value, outcome, note = "", nodes = [], place = "" },
  actions,
}: Here & { value: PageValue }) {
  return (
    <>
      <tr class="is-first">
        <th scope="row">
          {nodes.length > 0 ? (
            <Link title="Select its ops" onClick={() => actions.select(nodes)}>
              <Wrapped text={name} />
            </Link>
          ) : (
            <Wrapped text={name} />
          )}
        </th>
        <td>{value ? <code>{visible(value)}</code> : type ? visible(type) : <Absent>unknown</Absent>}</td>
        <td>
          <span class={`exirviz-outcome is-${outcome.replace(" ", "-")}`} title={OUTCOMES[outcome]}>
            {outcome}
          </span>
        </td>
      </tr>
      {(note || place) && (
        <tr class="exirviz-dimension-why">
          <td colSpan={3} class="exirviz-dim">
            {visible(note)}
            {place && ` · ${visible(place)}`}
          </td>
        </tr>
      )}
    </>
  );
}
