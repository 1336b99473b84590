/** How the sizes of inputs may vary: one row for each dimension of each input. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../ui/text";
import { useUniqueName } from "../../ui/unique_name";
import { asInputs, choicesOf, dimsOf } from "../forms";
import type { InputDim } from "../schema";
import type { FieldOf, FieldProps } from "./form";
import { useRequest } from "./use_request";

export function InputsField(props: FieldOf): JSX.Element {
  const { option, record, actions } = props;
  const { value, problem } = useRequest(record.id, async (stage) => asInputs(await actions.inputs(stage)));
  return (
    <fieldset class="exirviz-inputs">
      <legend>{visible(option.title)}</legend>
      <p class="exirviz-dim exirviz-ops-about">
        static, dynamic, auto, a shared name (batch), a range (batch in 2..64) or a relation (2*batch + 1)
      </p>
      {problem && <p class="exirviz-bad">{visible(problem)}</p>}
      {!value && !problem && <p class="exirviz-dim">Reading the inputs…</p>}
      {value?.note && <p class="exirviz-dock-text">{visible(value.note)}</p>}
      {value && <InputRows {...props} rows={value.rows} />}
    </fieldset>
  );
}

function InputRows({ rows, option, options, set }: FieldProps & { rows: readonly InputDim[] }): JSX.Element {
  const list = useUniqueName("exirviz-inputs");
  const [choices, setChoices] = useState<readonly string[]>(() => choicesOf(rows, options[option.name]));
  const choose = (i: number, words: string): void => {
    const next = choices.map((each, at) => (at === i ? words : each));
    setChoices(next);
    set({ [option.name]: dimsOf(rows, next) });
  };
  return (
    <table>
      <thead>
        <tr>
          <th>input</th>
          <th>dim</th>
          <th>size</th>
          <th>now</th>
          <th>new</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={`${row.input} ${row.dim}`}>
            <td>
              <code>{visible(row.input)}</code>
            </td>
            <td class="exirviz-number">{row.dim ?? "value"}</td>
            <td class="exirviz-number">{row.size ?? ""}</td>
            <td class="exirviz-dim">{visible(nowText(row))}</td>
            <td>
              <input
                class="exirviz-field"
                list={list}
                aria-label={visible(`${row.input}, dimension ${row.dim ?? "value"}`)}
                value={choices[i]}
                onInput={(event) => choose(i, event.currentTarget.value)}
              />
            </td>
          </tr>
        ))}
      </tbody>
      <datalist id={list}>
        {option.choices?.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </table>
  );
}

function nowText({ now = "", lower = "", upper = "" }: InputDim): string {
  if (!now) return "static";
  return lower ? `${now} in ${lower}..${upper === "int_oo" ? "∞" : upper}` : now;
}
