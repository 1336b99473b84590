/** Rows of lists: changes with what differs and what was measured, rules, and modules. */
import type { ComponentChildren, JSX } from "preact";
import { grouped } from "../../snapshot";
import { Clip } from "../../ui/clip";
import { visible } from "../../ui/text";
import { Wrapped } from "../../ui/wrapped";
import type { ChangeRule, ModuleChange } from "../model/schema";
import { useColumns, usePairView } from "./context";
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

interface RuleRowProps {
  readonly rule: ChangeRule;
  readonly count: number;
  /** Absent if it cannot be selected, only opened. */
  readonly isCurrent?: boolean;
  readonly onPress: () => void;
}

/** A rule and its count. Two lines are visible; all if it is selected or hovered. */
export function RuleRow({ rule, count, isCurrent, onPress }: RuleRowProps): JSX.Element {
  return (
    <button
      type="button"
      class={isCurrent ? "exirviz-rule is-it" : "exirviz-rule"}
      aria-pressed={isCurrent}
      title={visible(rule.text)}
      onClick={onPress}
    >
      <Sign kind={rule.kind} />
      <span class="exirviz-rule-text is-long">
        <Wrapped text={rule.short} />
      </span>
      <span class="exirviz-dim">{grouped(count)}×</span>
    </button>
  );
}

interface ModulePressProps {
  readonly module: ModuleChange;
  readonly title: string;
  readonly more?: string;
  readonly children: ComponentChildren;
}

/** A row about a module; a click selects its box. The whole model has no box. */
export function ModulePress({ module, title, more = "", children }: ModulePressProps): JSX.Element {
  const columns = useColumns();
  const scopes = [module.a, module.b] as const;
  const shown = { class: `exirviz-rule${more}`, title: visible(title) };
  if (!columns.drawn(scopes)) return <div {...shown}>{children}</div>;
  return (
    <button type="button" {...shown} onClick={() => void columns.showModule(scopes)}>
      {children}
    </button>
  );
}
