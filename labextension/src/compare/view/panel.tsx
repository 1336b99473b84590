/**
 * The side panel: changes as a whole, by rule and by module, then the list; and the selected node in full.
 */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { titled } from "../../frame/commands";
import { ExplorerContext } from "../../frame/context";
import { useInspected } from "../../frame/inspector_props";
import { Inspector } from "../../panels/inspector";
import { grouped, NONE } from "../../snapshot";
import { Clip } from "../../ui/clip";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { Tabs } from "../../ui/tabs";
import { lastName, plural, visible } from "../../ui/text";
import { countWords, unchangedModules } from "../model/change_summary";
import { changed } from "../model/changes";
import { byWeight } from "../model/rules";
import type { FactGroup, ModuleGroup } from "../model/schema";
import { ChangeList } from "./change_list";
import { useColumns, usePairPart, usePairView } from "./context";
import { CostsTab } from "./costs_tab";
import { CallsText, CountsText, PairChoice, Quoted } from "./panel_parts";
import { ModulePress, RuleRow } from "./rows";
import { Selected } from "./selection_panel";
import { ValuesTab } from "./values_tab";

const TABS = { changes: "Changes", values: "Values", costs: "Costs", node: "Node" } as const;

export function PairPanel(): JSX.Element {
  const columns = useColumns();
  const tab = usePairPart((state) => state.tab);
  const leader = usePairPart((state) => state.leader);
  const at = usePairPart((state) => state.at);
  return (
    <div class="exirviz-side exirviz-pair-side">
      <Tabs label="Comparison" titles={TABS} tab={tab} onTab={(next) => columns.store.set({ tab: next })}>
        {tab === "changes" && <Overall key={at} />}
        {tab === "values" && <ValuesTab key={at} />}
        {tab === "costs" && <CostsTab key={at} />}
        {tab === "node" && (
          <ExplorerContext.Provider value={columns.leading} key={leader}>
            <Node />
          </ExplorerContext.Provider>
        )}
      </Tabs>
      <button
        type="button"
        class="exirviz-close"
        aria-label="Hide inspector"
        title={titled("Hide inspector", "panel")}
        onClick={() => columns.store.set({ isPanelOpen: false })}
      >
        ×
      </button>
    </div>
  );
}

function Node(): JSX.Element {
  return <Inspector {...useInspected()} />;
}

function Overall(): JSX.Element {
  const { columns, pair } = usePairView();
  const { comparison } = pair.changes;
  const [rule, setRule] = useState(NONE);
  const { a, b, counts } = comparison;
  return (
    <>
      <Section>
        {columns.row.pairs.length > 1 ? (
          <PairChoice />
        ) : (
          <h3 class="exirviz-pair-title">
            {visible(a)} → {visible(b)}
          </h3>
        )}
        <p class="exirviz-tally">
          {columns.row.pairs.length === 1 && <CallsText comparison={comparison} />}
          <span class="exirviz-dim">{grouped(counts.same ?? 0)} unchanged</span>
        </p>
        <Contents />
      </Section>
      <Selected />
      <RuleList rule={rule} onRule={setRule} />
      <ModuleList />
      <Facts />
      <ChangeList rule={rule} />
    </>
  );
}

/** Whether weights and delegates have the same bytes, and which were not compared. */
function Contents(): JSX.Element {
  const { texts = [], left = [] } = usePairView().pair.changes.comparison.contents ?? {};
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="exirviz-fact">
          <Quoted text={visible(text)} />
        </p>
      ))}
      {left.map((text) => (
        <p key={text} class="exirviz-fact exirviz-dim">
          <Quoted text={visible(text)} />
        </p>
      ))}
    </>
  );
}

function RuleList({ rule, onRule }: { rule: number; onRule: (rule: number) => void }): JSX.Element | null {
  const { columns, pair } = usePairView();
  const { rules = [], matches } = pair.changes.comparison;
  const order = useMemo(
    () => byWeight(rules.map((rule, number) => ({ rule, number, count: rule.count }))),
    [rules],
  );
  if (rules.length === 0) return null;
  const choose = (wanted: number): void => {
    onRule(wanted === rule ? NONE : wanted);
    if (wanted !== rule) void columns.show(matches.rules.indexOf(wanted));
  };
  return (
    <Section title="By rule" {...(rule >= 0 && { aside: "filtered to this rule" })}>
      <More
        items={order}
        first={8}
        of="rules"
        each={({ rule: one, number, count }) => (
          <RuleRow
            key={number}
            rule={one}
            count={count}
            isCurrent={number === rule}
            onPress={() => choose(number)}
          />
        )}
      />
    </Section>
  );
}

function ModuleList(): JSX.Element | null {
  const { comparison } = usePairView().pair.changes;
  const { module_groups: groups = [] } = comparison;
  const unchanged = unchangedModules(comparison);
  const wholes = groups.filter(({ path }) => !path).length;
  if (groups.length === 0 && !unchanged) return null;
  return (
    <Section title="By module" aside="changes without submodules">
      {groups.some(({ ops }) => ops) && (
        <p class="exirviz-dim">Calls include submodules, and a delegate counts as one call.</p>
      )}
      <More
        items={groups}
        first={8}
        of="modules"
        each={(group) => (
          <Module key={group.modules[0]} group={group} isClassed={!!group.path || wholes > 1} />
        )}
      />
      {unchanged > 0 && <p class="exirviz-dim">{plural(unchanged, "unchanged module")}</p>}
    </Section>
  );
}

function Module({ group, isClassed }: { group: ModuleGroup; isClassed: boolean }): JSX.Element | null {
  const { path, classes, counts, ops, modules } = group;
  const { modules: all = [] } = usePairView().pair.changes.comparison;
  const first = all[modules[0] ?? NONE];
  const name = path || "the whole model";
  if (!first) return null;
  const short = [...new Set(classes.map(lastName))];
  const isAlone = modules.length === 1 && changed(first.own) !== changed(first.counts);
  const title = classes.length ? `${name}: ${classes.join(" → ")}` : name;
  return (
    <ModulePress
      module={first}
      more=" is-module"
      title={isAlone ? `${title}. Including submodules: ${countWords(first.counts)}` : title}
    >
      <span class="exirviz-rule-text">
        <Clip
          text={visible(
            short.length > 0 && (isClassed || short.length > 1) ? `${name} (${short.join(" → ")})` : name,
          )}
        />
      </span>
      <CountsText counts={counts} />
      <span class="exirviz-dim">
        {[modules.length > 1 && `× ${modules.length}`, ops && callsText(ops)].filter(Boolean).join(" · ")}
      </span>
    </ModulePress>
  );
}

const callsText = ([before, after]: readonly [number, number]): string =>
  before === after ? plural(after, "call") : `${grouped(before)} → ${plural(after, "call")}`;

/** Changes other than nodes: signature, symbols, guards, sizes, memory. */
function Facts(): JSX.Element | null {
  const { comparison, snapshots } = usePairView().pair.changes;
  const { fact_groups: facts = [] } = comparison;
  if (facts.length === 0) return null;
  const hasDelegates = snapshots.some(({ graphs }) => graphs.some(({ columns }) => columns.delegate));
  return (
    <Section title="Other changes">
      <More
        items={facts}
        first={8}
        of="facts"
        each={(fact, i) => <Fact key={i} fact={fact} hasDelegates={hasDelegates} />}
      />
    </Section>
  );
}

/** Facts that count the state of a program, without the weights inside delegates. */
const COUNTS_OF_STATE: ReadonlySet<string> = new Set(["parameters", "bytes of state"]);

/** Before → after; if only one side has it, a sentence that says so. */
function Fact({ fact, hasDelegates }: { fact: FactGroup; hasDelegates: boolean }): JSX.Element {
  const { topic, name, text, before, after, method = "", count = 1 } = fact;
  return (
    <p class="exirviz-fact">
      {before === undefined || after === undefined ? (
        <Quoted text={visible(text)} />
      ) : (
        <>
          {method && <>{visible(method)}: </>}
          <span class="exirviz-dim">{topic}</span> {visible(name)}{" "}
          <code class="exirviz-change">
            <del>{visible(before)}</del> <span aria-hidden="true">→</span> <ins>{visible(after)}</ins>
          </code>
        </>
      )}
      {count > 1 && <span class="exirviz-dim"> × {grouped(count)}</span>}
      {hasDelegates && COUNTS_OF_STATE.has(name) && (
        <span class="exirviz-dim"> without those in delegates</span>
      )}
    </p>
  );
}
