/** All changes in reading order, filtered by kind and by a text in the op, name or module. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { grouped } from "../../snapshot";
import { List } from "../../ui/list";
import { Section } from "../../ui/section";
import { type Known, ORDERS, type Order, ordersOf, sorted } from "../model/change_order";
import type { Changes } from "../model/changes";
import type { MatchKind } from "../model/schema";
import { CHANGE_KINDS, signOf, textColorOf } from "./change_colors";
import { useMeasured, usePairPart, usePairView } from "./context";
import { useKindText } from "./panel_parts";
import { ChangeRow } from "./rows";

const ROW = 40;

export function ChangeList({ rule }: { rule: number }): JSX.Element {
  const { pair } = usePairView();
  const { changes } = pair;
  const without = usePairPart((state) => state.without);
  const match = usePairPart((state) => state.match);
  const values = useMeasured((state) => state.values);
  const costs = useMeasured((state) => state.costs);
  const [order, setOrder] = useState<Order>("program");
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = useMemo(() => {
    const found = changes.list.filter(
      (each) =>
        !without.has(changes.kind(each)) &&
        (rule < 0 || changes.comparison.matches.rules[each] === rule) &&
        (!wanted || textOf(changes, each).includes(wanted)),
    );
    return sorted(order, { values, costs }, found);
  }, [changes, without, wanted, rule, order, values, costs]);
  return (
    <Section
      title="Changes"
      aside={
        shown.length === changes.list.length
          ? grouped(shown.length)
          : `${grouped(shown.length)} of ${grouped(changes.list.length)}`
      }
    >
      <div class="exirviz-filter">
        <input
          class="exirviz-input"
          type="search"
          placeholder="op, name or module"
          aria-label="Filter changes by op, name or module"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <Kinds />
      </div>
      <OrderChoice known={{ values, costs }} order={order} onOrder={setOrder} />
      {shown.length === 0 ? (
        <p class="exirviz-dim">
          {changes.list.length > 0
            ? "No change matches the filter"
            : changes.comparison.contents?.left?.length
              ? "No differences in what was compared"
              : "No differences"}
        </p>
      ) : (
        <List
          class="exirviz-changes"
          label="Changes"
          count={shown.length}
          rowHeight={ROW}
          reveal={shown.indexOf(match)}
          revealKey={match}
          row={(index) => (
            <ChangeRow key={shown[index]} match={shown[index] ?? 0} isCurrent={shown[index] === match} />
          )}
        />
      )}
    </Section>
  );
}

/** Nothing if there are no measurements to sort by. */
function OrderChoice(props: {
  known: Known;
  order: Order;
  onOrder: (order: Order) => void;
}): JSX.Element | null {
  const { known, order, onOrder } = props;
  const there = ordersOf(known);
  if (there.length === 1) return null;
  return (
    <label class="exirviz-order">
      Sorted{" "}
      <select value={order} onChange={({ currentTarget }) => onOrder(currentTarget.value as Order)}>
        {there.map((each) => (
          <option key={each} value={each}>
            {ORDERS[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

function Kinds(): JSX.Element {
  const { columns, pair, isDark } = usePairView();
  const without = usePairPart((state) => state.without);
  const { counts } = pair.changes.comparison;
  const kindText = useKindText();
  const toggle = (kind: MatchKind): void => {
    const next = new Set(without);
    if (!next.delete(kind)) next.add(kind);
    columns.store.set({ without: next });
  };
  return (
    <span class="exirviz-kinds">
      {CHANGE_KINDS.filter((kind) => counts[kind]).map((kind) => (
        <button
          key={kind}
          type="button"
          class="exirviz-kind"
          aria-pressed={!without.has(kind)}
          title={`${without.has(kind) ? "Show" : "Hide"} ${kindText(kind)} nodes`}
          style={{ color: textColorOf(kind, isDark) }}
          onClick={() => toggle(kind)}
        >
          {signOf(kind)}
        </button>
      ))}
    </span>
  );
}

function textOf(changes: Changes, match: number): string {
  const names = ([0, 1] as const).flatMap((side) =>
    changes.nodes(match, side).map((node) => changes.snapshots[side].name(node)),
  );
  const words = [changes.ops(match, 0), changes.ops(match, 1), changes.path(match), ...names];
  return [...words, ...changes.fields(match)].join(" ").toLowerCase();
}
