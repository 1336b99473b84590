/** The side panel: what changed as a whole, by rule and by module, before the list; and the node in full. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ExplorerContext } from "../../frame/context";
import { useInspected } from "../../frame/inspector_props";
import { Inspector } from "../../panels/inspector";
import { grouped, NONE } from "../../snapshot";
import { Clip } from "../../ui/clip";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { Tabs } from "../../ui/tabs";
import { lastName, plural, visible } from "../../ui/text";
import { countWords, type ModuleRow, moduleRows, sameModules } from "../model/change_summary";
import { changed } from "../model/changes";
import { byWeight } from "../model/rules";
import type { FactChange } from "../model/schema";
import { ChangeList } from "./change_list";
import { useColumns, usePairPart, usePairView } from "./context";
import { CostsTab } from "./costs_tab";
import { ModulePress } from "./module_row";
import { CountsText, PairChoice, Quoted } from "./panel_parts";
import { RuleRow } from "./rule_row";
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
        aria-label="Hide the panel"
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
          {columns.row.pairs.length === 1 && <CountsText counts={counts} />}
          <span class="exirviz-dim">{grouped(counts.same ?? 0)} the same</span>
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

/** Whether weights and delegates hold the same bytes, and which of them were not compared. */
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
    <Section title="By rule" {...(rule >= 0 && { aside: "the list shows one" })}>
      <More
        items={order}
        first={8}
        of="rules"
        each={({ rule: one, number, count }) => (
          <RuleRow
            key={number}
            rule={one}
            count={count}
            isIt={number === rule}
            onPress={() => choose(number)}
          />
        )}
      />
    </Section>
  );
}

function ModuleList(): JSX.Element | null {
  const { changes } = usePairView().pair;
  const rows = useMemo(() => moduleRows(changes), [changes]);
  const same = sameModules(changes.comparison);
  const wholes = rows.filter(({ path }) => !path).length;
  if (rows.length === 0 && !same) return null;
  return (
    <Section title="By module" aside="each with all within it">
      <More
        items={rows}
        first={8}
        of="modules"
        each={(row) => <Module key={keyOf(row)} row={row} isClassed={!!row.path || wholes > 1} />}
      />
      {same > 0 && <p class="exirviz-dim">{plural(same, "module")} without a change</p>}
    </Section>
  );
}

/** Rows of one path differ in classes or counts; the modules of none are another's. */
const keyOf = ({ modules: [first] }: ModuleRow): string => `${first?.a} ${first?.b}`;

function Module({ row, isClassed }: { row: ModuleRow; isClassed: boolean }): JSX.Element | null {
  const { path, classes, counts, own, before, after, modules } = row;
  const [first] = modules;
  const isNested = changed(own) !== changed(counts);
  const name = path || "the whole model";
  if (!first) return null;
  const told = classes.length ? `${name}: ${classes.join(" → ")}` : name;
  const short = [...new Set(classes.map(lastName))];
  return (
    <ModulePress
      module={first}
      more=" is-module"
      title={[told, ...(isNested ? [`In no module within it: ${countWords(own)}`] : [])].join(". ")}
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
        {modules.length > 1 && `× ${modules.length} · `}
        {before === after ? plural(after, "op") : `${grouped(before)} → ${plural(after, "op")}`}
      </span>
    </ModulePress>
  );
}

/** What changed beside the nodes: signature, symbols, guards, sizes, memory. */
function Facts(): JSX.Element | null {
  const { methods = [] } = usePairView().pair.changes.comparison;
  const facts = methods.flatMap(({ a, b, facts: own = [] }) =>
    own.map((fact) => ({ fact, method: methods.length > 1 ? b || a : "" })),
  );
  if (facts.length === 0) return null;
  return (
    <Section title="Besides">
      <More items={facts} first={8} of="facts" each={(each, i) => <Fact key={i} {...each} />} />
    </Section>
  );
}

/** Before and after; of what one side alone has, what became of it, in the words of the comparison. */
function Fact({ fact, method }: { fact: FactChange; method: string }): JSX.Element {
  const { topic, name, text, before, after } = fact;
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
    </p>
  );
}
