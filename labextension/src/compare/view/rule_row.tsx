/** A rule and its count. Two lines are visible; all if it is selected or hovered. */
import type { JSX } from "preact";
import { grouped } from "../../snapshot";
import { visible } from "../../ui/text";
import type { Rule } from "../model/schema";
import { Sign } from "./panel_parts";

/** Where the name of an op may be wrapped. */
const AFTER = /(?<=[._])/;

interface RuleRowProps {
  readonly rule: Rule;
  readonly count: number;
  /** Absent if it cannot be selected, only opened. */
  readonly isCurrent?: boolean;
  readonly onPress: () => void;
}

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
        {visible(rule.short)
          .split(AFTER)
          .map((part, i) => (
            <>
              {i > 0 && <wbr />}
              {part}
            </>
          ))}
      </span>
      <span class="exirviz-dim">{grouped(count)}×</span>
    </button>
  );
}
