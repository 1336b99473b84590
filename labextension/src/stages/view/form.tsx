/** The form of a step's options: one field for each, and a start button. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../ui/text";
import { defaultsOf, missingIn, sentOf } from "../forms";
import type { Offer, Option, StageRecord } from "../schema";
import type { Options, StageActions } from "../source";
import { Dock } from "./dock";
import { InputsField } from "./inputs";
import { OpsField, type Still } from "./ops";

interface FormProps {
  readonly offer: Offer;
  readonly record: StageRecord;
  readonly actions: StageActions;
  /** The options and the reason of a failed attempt. */
  readonly options?: Options;
  readonly problem?: string;
  /** Draws a small program as a picture. */
  readonly still: Still;
  readonly onNode: (node: string) => void;
  readonly onRun: (options: Options) => void;
  readonly onClose: () => void;
}

/** The props of a field: the form's, and its own. */
export type FieldOf = Omit<FormProps, "options"> & FieldProps;

/** One field's value; `set` changes options, also other fields'. */
export interface FieldProps {
  readonly option: Option;
  readonly options: Options;
  readonly set: (change: Options) => void;
}

export function Form(props: FormProps): JSX.Element {
  const { offer, record, problem, onRun, onClose } = props;
  const [options, setOptions] = useState<Options>(() => ({ ...defaultsOf(offer), ...props.options }));
  const set = (change: Options): void => setOptions((before) => ({ ...before, ...change }));
  const missing = missingIn(offer, options);
  return (
    <Dock
      label={`Options: ${visible(offer.title)}`}
      title={
        <>
          {visible(offer.title)}
          <span class="exirviz-dock-aside">from {visible(record.name)}</span>
        </>
      }
      onClose={onClose}
    >
      <form
        class="exirviz-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) onRun(sentOf(options));
        }}
      >
        <div class="exirviz-form-body">
          {problem && (
            <p class="exirviz-dock-text exirviz-bad" role="alert">
              {visible(problem)}
            </p>
          )}
          <p class="exirviz-dock-text">{visible(offer.about)}</p>
          {offer.options?.map((option) => (
            <Field key={option.name} {...props} option={option} options={options} set={set} />
          ))}
        </div>
        <div class="exirviz-dock-row exirviz-form-end">
          <button type="submit" class="exirviz-button is-first" disabled={missing !== ""}>
            {visible(offer.title)}
          </button>
          <button type="button" class="exirviz-button" onClick={onClose}>
            Cancel
          </button>
          {missing && <span class="exirviz-dim">{missing}</span>}
        </div>
      </form>
    </Dock>
  );
}

function Field(props: FieldOf): JSX.Element | null {
  const { option, options, set } = props;
  const { name, title, about = "", choices = [] } = option;
  const value = options[name];
  switch (option.type) {
    case "flag":
      return (
        <label class="exirviz-field-row">
          <input
            type="checkbox"
            checked={value === true}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
          />
          <span>{visible(title)}</span>
          <span class="exirviz-dim">{visible(about)}</span>
        </label>
      );
    case "choice":
      return (
        <label class="exirviz-field-row is-wide">
          <span>{visible(title)}</span>
          <select
            class="exirviz-select"
            value={String(value)}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          >
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {visible(choice)}
              </option>
            ))}
          </select>
          <span class="exirviz-dim">{visible(about)}</span>
        </label>
      );
    case "number":
    case "text":
      return (
        <label class="exirviz-field-row is-wide">
          <span>{visible(title)}</span>
          <input
            class="exirviz-field"
            inputMode={option.type === "number" ? "numeric" : "text"}
            value={String(value ?? "")}
            onInput={({ currentTarget: { value: text } }) =>
              set({ [name]: option.type === "number" ? Number(text) : text })
            }
          />
          <span class="exirviz-dim">{visible(about)}</span>
        </label>
      );
    case "ops":
      // Ops to keep are chosen in the table of ops to decompose.
      return name === "but" ? null : <OpsField {...props} />;
    case "inputs":
      return <InputsField {...props} />;
  }
}
