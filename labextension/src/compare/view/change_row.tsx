/** One change in a list: the ops before and after, the fields that differ, measurements, and the module. */
import type { JSX } from "preact";
import { Clip } from "../../ui/clip";
import { visible } from "../../ui/text";
import { usePairView } from "./context";
import { Figure } from "./match_measurements";
import { Sign } from "./panel_parts";

export function ChangeRow({ match, isCurrent }: { match: number; isCurrent: boolean }): JSX.Element {
  const { columns, pair } = usePairView();
  const { changes } = pair;
  const [before, after] = [changes.ops(match, 0), changes.ops(match, 1)];
  const fields = changes.fields(match);
  const ops = before && after && before !== after ? `${before} → ${after}` : before || after;
  return (
    <button
      type="button"
      class={isCurrent ? "exirviz-change-row is-it" : "exirviz-change-row"}
      aria-current={isCurrent ? "true" : undefined}
      onClick={() => void columns.show(match)}
    >
      <Sign kind={changes.kind(match)} />
      <span class="exirviz-change-what">
        {visible(ops)}
        {fields.length > 0 && <span class="exirviz-dim"> {fields.join(", ")}</span>}
      </span>
      <Figure match={match} />
      <span class="exirviz-dim exirviz-change-where">
        <Clip text={changes.path(match) || "the whole model"} />
      </span>
    </button>
  );
}
