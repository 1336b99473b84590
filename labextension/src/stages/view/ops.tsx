/**
 * The operators of a stage: how often each is called, what can be done with it, and what a call of it would become.
 * Which of them a step takes apart or keeps is ticked here.
 */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { More } from "../../panels/parts/more";
import { plural, visible } from "../../panels/parts/text";
import { grouped, readFile, type Snapshot } from "../../snapshot";
import { asOpRows, sayOp, shortOp } from "../forms";
import type { OpRow } from "../schema";
import { useAsked } from "./asked";
import type { FieldProps, FormProps } from "./form";

export type Still = (snapshot: Snapshot) => string;

/** Rows that are shown at once. */
const FIRST = 12;

/** "core" and "functional" are wholes; else what is ticked is a list. */
export function OpsField(props: FormProps & FieldProps): JSX.Element {
  const { option, options, set, record, actions } = props;
  const { name, choices = [], about = "" } = option;
  const value = options[name];
  const mode = typeof value === "string" ? value : "ticked";
  const { value: rows, problem } = useAsked(record.id, async (stage) => asOpRows(await actions.ops(stage)));
  const choose = (chosen: string): void => set({ [name]: chosen === "ticked" ? [] : chosen, but: [] });
  return (
    <fieldset class="exirviz-ops">
      <legend>{visible(option.title)}</legend>
      {choices.length > 0 && (
        <div class="exirviz-dock-row">
          {[...choices, "ticked"].map((choice) => (
            <label key={choice} class="exirviz-radio">
              <input
                type="radio"
                name="exirviz-ops"
                checked={mode === choice}
                onChange={() => choose(choice)}
              />
              {visible(NAMES[choice] ?? choice)}
            </label>
          ))}
        </div>
      )}
      <p class="exirviz-dim exirviz-ops-about">{visible(mode === "core" ? KEEP : about)}</p>
      {problem && <p class="ev-bad">{visible(problem)}</p>}
      {!rows && !problem && <p class="exirviz-dim">Reading the operators…</p>}
      {rows && <OpsTable {...props} rows={rows} mode={choices.length ? mode : "preserve"} />}
    </fieldset>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  core: "all, to Core ATen",
  functional: "none: functional ATen",
  ticked: "only those ticked",
};
const KEEP = "Untick what is to stay whole.";

interface TableProps extends FormProps, FieldProps {
  readonly rows: readonly OpRow[];
  readonly mode: string;
}

function OpsTable(props: TableProps): JSX.Element {
  const { rows, mode, option, options, set } = props;
  const [words, setWords] = useState("");
  const [shown, setShown] = useState<OpRow>();
  const isTaken = mode === "core" ? (row: OpRow) => row.in_core_table === true : canTick(mode);
  // In Core ATen's table all are ticked, and those that are not are kept.
  const key = mode === "core" ? "but" : option.name;
  const list = (Array.isArray(options[key]) ? options[key] : []) as readonly string[];
  const found = useMemo(() => rows.filter(({ op }) => op.includes(words.trim())), [rows, words]);
  const tick = (op: string): void =>
    set({ [key]: list.includes(op) ? list.filter((each) => each !== op) : [...list, op] });
  const isTicked = ({ op }: OpRow): boolean => list.includes(op) !== (mode === "core");
  return (
    <div class="exirviz-ops-pair">
      <div class="exirviz-ops-table">
        <input
          class="exirviz-field"
          type="search"
          aria-label="Find an operator"
          placeholder={`find among ${plural(rows.length, "operator")}`}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <table>
          <tbody>
            <More
              items={found}
              first={FIRST}
              of="operators"
              each={(row) => (
                <tr key={row.op} class={shown === row ? "is-shown" : ""}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={visible(row.op)}
                      checked={isTaken(row) && isTicked(row)}
                      disabled={mode === "functional" || !isTaken(row)}
                      onChange={() => tick(row.op)}
                    />
                  </td>
                  <td title={visible(row.op)}>
                    <code>{visible(shortOp(row.op))}</code>
                  </td>
                  <td class="exirviz-number">×{grouped(row.count)}</td>
                  <td class="exirviz-dim">{sayOp(row)}</td>
                  <td>
                    {row.decomposes && (
                      <button
                        type="button"
                        class="ev-link"
                        aria-expanded={shown === row}
                        title="What one call of it becomes"
                        onClick={() => setShown(shown === row ? undefined : row)}
                      >
                        preview
                      </button>
                    )}
                  </td>
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
      {shown && (
        <Preview {...props} row={shown} table={mode === "core" && shown.in_core_table ? "core" : "op"} />
      )}
    </div>
  );
}

const canTick =
  (mode: string) =>
  ({ decomposes, implicit }: OpRow): boolean =>
    mode === "preserve" ? !implicit : decomposes === true && !implicit;

/** What the first call of an operator becomes, with its own shapes. */
function Preview({
  row,
  table,
  record,
  actions,
  still,
  onNode,
}: FormProps & { row: OpRow; table: "op" | "core" }): JSX.Element {
  const node = row.nodes?.[0];
  const { value, problem } = useAsked(node && `${node} ${table}`, async () =>
    readFile(await actions.preview(record.id, node ?? "", table)),
  );
  const image = useMemo(() => value && still(value), [value, still]);
  return (
    <figure class="exirviz-preview" aria-label={`What ${visible(row.op)} becomes`}>
      <figcaption>
        <button type="button" class="ev-link" onClick={() => node && onNode(node)}>
          {visible(node ?? "")}
        </button>{" "}
        becomes{table === "core" ? ", at Core ATen" : ""}
      </figcaption>
      {problem && <p class="ev-bad">{visible(problem)}</p>}
      {!value && !problem && <p class="exirviz-dim">Tracing its decomposition…</p>}
      {image && (
        <img alt={opsOf(value)} src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(image)}`} />
      )}
    </figure>
  );
}

/** The picture in words. */
function opsOf(snapshot: Snapshot | undefined): string {
  if (!snapshot) return "";
  const graph = snapshot.graph(0);
  const names = Array.from({ length: graph.count }, (_, at) => graph.target(at)?.text ?? "");
  return visible(names.filter((name) => name.includes(".")).join(", "));
}
