/** What changes cost or saved: in total, by rule, by module; with a button to profile if a kernel can. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Clip } from "../../ui/clip";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { Empty } from "../../ui/states";
import { visible } from "../../ui/text";
import { basisOf, type Cost, type CostDiff, gain, hasColor } from "../costs/cost_diff";
import type { RuleCost } from "../costs/schema";
import { costText, ratioText, restText, secondsText } from "../values/number_text";
import { useColumns, useMeasured, useMeasuring, usePair } from "./context";
import { Problem, RunningBoth } from "./panel_parts";
import { ModulePress } from "./rows";

export function CostsTab(): JSX.Element {
  const costs = useMeasured((state) => state.costs);
  return (
    <>
      <Ask isAgain={costs !== undefined} />
      {costs ? (
        <>
          <Whole costs={costs} />
          <Rules costs={costs} />
          <Modules costs={costs} />
        </>
      ) : (
        <Empty title="No costs yet">
          Profile both to see what each change costs. In Python: <code>before = exir_viz.profile(a)</code>,{" "}
          <code>after = exir_viz.profile(b)</code>, then{" "}
          <code>
            diff.explore(costs=
            <wbr />
            diff.costs(before, after))
          </code>
          .
        </Empty>
      )}
    </>
  );
}

function Ask({ isAgain }: { isAgain: boolean }): JSX.Element | null {
  const measuring = useMeasuring();
  const running = useMeasured((state) => state.running);
  if (!measuring.canProfile) return null;
  return (
    <Section title={isAgain ? "Measure again" : "Measure"}>
      {running === "costs" ? (
        <RunningBoth />
      ) : (
        <button
          type="button"
          class="exirviz-panel-button"
          disabled={running !== undefined}
          onClick={() => void measuring.profile()}
        >
          Profile both
        </button>
      )}
      <Problem />
    </Section>
  );
}

function Whole({ costs }: { costs: CostDiff }): JSX.Element {
  const { whole, record } = costs;
  const [before, after] = record.overhead;
  const { untimed = [0, 0], runs = ["", ""], doubts = [] } = record;
  return (
    <Section title="One run">
      <p class="exirviz-cost-whole">
        <Change cost={whole} />
      </p>
      <p class="exirviz-dim">
        overhead outside ops: {restText(before)} → {restText(after)}
      </p>
      {untimed.some((seconds) => seconds > 0) && (
        <p class="exirviz-dim">
          in ops not timed separately: {secondsText(untimed[0])} → {secondsText(untimed[1])}
        </p>
      )}
      {runs.some(Boolean) && (
        <p class="exirviz-dim">
          before: {visible(runs[0])}
          <br />
          after: {visible(runs[1])}
        </p>
      )}
      {doubts.map((text) => (
        <p key={text} class="exirviz-profile-remark">
          {visible(text)}
        </p>
      ))}
      <p class="exirviz-dim">
        {hasColor(costs.ends)
          ? "Colored: changes beyond noise (quartile ranges apart, and more than 10 %)"
          : "No change exceeds noise"}
      </p>
    </Section>
  );
}

function Rules({ costs }: { costs: CostDiff }): JSX.Element {
  const { rules = [], matches } = usePair().changes.comparison;
  const columns = useColumns();
  const go = ({ rule }: RuleCost): void => {
    const number = rules.findIndex(({ text }) => text === rule);
    if (number >= 0) void columns.show(matches.rules.indexOf(number));
  };
  return (
    <Section title="By rule">
      <More
        items={costs.record.rules}
        first={8}
        of="rules"
        each={(row) => {
          const rule = rules.find(({ text }) => text === row.rule);
          const name = rule?.short ?? row.rule;
          const what = (
            <>
              <span class="exirviz-rule-text">{visible(name || "unchanged")}</span>
              <Change cost={row} />
            </>
          );
          return row.rule ? (
            <button
              key={row.rule}
              type="button"
              class="exirviz-rule exirviz-rule-cost"
              title={visible(row.rule)}
              onClick={() => go(row)}
            >
              {what}
            </button>
          ) : (
            <div key="same" class="exirviz-rule exirviz-rule-cost">
              {what}
            </div>
          );
        }}
      />
    </Section>
  );
}

function Modules({ costs }: { costs: CostDiff }): JSX.Element | null {
  const { modules = [] } = usePair().changes.comparison;
  const rows = useMemo(
    () => [...(costs.record.modules ?? [])].sort((x, y) => Math.abs(gain(y)) - Math.abs(gain(x))),
    [costs],
  );
  if (rows.length === 0) return null;
  const model = rows.find((row) => modules[row.module]?.path === "");
  return (
    <Section title="By module" aside="including submodules">
      <More
        items={rows}
        first={8}
        of="modules"
        each={(row) => {
          const module = modules[row.module];
          if (!module) return null;
          return (
            <ModulePress
              key={row.module}
              module={module}
              more=" exirviz-rule-cost"
              title={`${module.path || "the whole model"}: ${module.cls}`}
            >
              <span class="exirviz-rule-text">
                {module.path ? <Clip text={module.path} /> : "the whole model"}
              </span>
              <Change cost={row} />
            </ModulePress>
          );
        }}
      />
      {model && <InNoModule costs={costs} model={model} />}
    </Section>
  );
}

/** Why the whole model takes less than one run. */
function InNoModule({ costs, model }: { costs: CostDiff; model: Cost }): JSX.Element | null {
  const { before, after } = costs.whole;
  const rest = { before: before - model.before, after: after - model.after };
  if (rest.before < 0 || rest.after < 0) return null;
  return (
    <p class="exirviz-dim">
      One run takes {costText(rest)} more than all modules: overhead, and ops outside modules.
    </p>
  );
}

/** "1.2 ms → 0.4 ms ×0.33", in the colour of slower or faster; no colour within noise. */
export function Change({ cost }: { cost: Cost }): JSX.Element {
  const basis = basisOf(cost);
  return (
    <span class="exirviz-cost">
      <span class="exirviz-dim">{costText(cost)}</span>{" "}
      {cost.noise || gain(cost) === 0 ? (
        <span class="exirviz-dim">
          {ratioText(cost)}
          {cost.ratio !== undefined && cost.ratio !== 1 && " within noise"}
        </span>
      ) : (
        <b class={gain(cost) > 0 ? "exirviz-slower" : "exirviz-faster"}>{ratioText(cost)}</b>
      )}
      {basis && <span class="exirviz-dim"> {basis}</span>}
    </span>
  );
}
