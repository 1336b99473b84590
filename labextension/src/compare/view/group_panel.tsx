/** The selected module or group: its counterpart, its content, and the changes in it. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useStore } from "../../frame/context";
import { byteText, countText, grouped } from "../../snapshot";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { Row, Rows, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import { changed, type Side } from "../model/changes";
import { type Inside, insideOf, type Part, type SideOfSelection } from "../model/group_details";
import { rulesIn } from "../model/rules";
import { groupKind } from "./change_signs";
import { usePairPart, usePairView } from "./context";
import { CountsText, Sign } from "./panel_parts";
import { ChangeRow, RuleRow } from "./rows";

/** The content of the selected groups; undefined if there are none. */
export function useInside(): Inside | undefined {
  const { pair } = usePairView();
  const groups = usePairPart((state) => state.groups);
  const scenes = [useScene(0), useScene(1)];
  return useMemo(() => insideOf(pair, groups), [pair, groups, ...scenes]);
}

function useScene(side: Side) {
  return useStore(usePairView().pair.explorers[side].store, (state) => state.scene);
}

export function SelectedGroup({ inside }: { inside: Inside }): JSX.Element {
  const { sides, counts, own, changes } = inside;
  const kind = groupKind(counts) ?? "same";
  const isNested = own && changed(own) !== changed(counts);
  const members = Math.max(...sides.map((side) => side?.names.length ?? 0));
  return (
    <Section title="Selected" {...(members > 1 && { aside: `${members} identical` })}>
      <p class="exirviz-became">
        <Sign kind={kind} /> <Became inside={inside} isSame={kind === "same"} />
      </p>
      <p class="exirviz-tally">
        <CountsText counts={counts} />
        {(counts.same ?? 0) > 0 && <span class="exirviz-dim">{grouped(counts.same ?? 0)} unchanged</span>}
      </p>
      <Rows>
        <Sides term="class" sides={sides} of={({ cls }) => visible(cls)} />
        <Sides term="ops" sides={sides} of={({ ops }) => (ops ? grouped(ops) : "")} />
        {sides.map((side) => side?.part && <PartRow part={side.part} />)}
        <Sides
          term="parameters"
          sides={sides}
          of={({ parameters, bytes, names }) =>
            bytes
              ? `${countText(parameters)}, ${byteText(bytes)} of state${names.length > 1 ? " each" : ""}`
              : ""
          }
        />
        <Weights changes={changes} />
        {isNested && (
          <Row term="its own" note="Not in a submodule">
            <CountsText counts={own} />
          </Row>
        )}
      </Rows>
      {changes.length > 0 && <ChangesInside changes={changes} />}
    </Section>
  );
}

function Became({ inside, isSame }: { inside: Inside; isSame: boolean }): JSX.Element {
  const { pair } = usePairView();
  const [a, b] = inside.sides;
  const { a: before, b: after } = pair.changes.comparison;
  if (a && b && nameOf(a) === nameOf(b))
    return (
      <>
        <Name side={1} selected={b} /> {isSame ? "is unchanged" : "changed inside"}
      </>
    );
  if (a && b)
    return (
      <>
        <Name side={0} selected={a} /> {isSame ? "is" : "is now"} <Name side={1} selected={b} />
      </>
    );
  const isNot = inside.own ? "is not in" : "is not a group of its own in";
  return a ? (
    <>
      <Name side={0} selected={a} /> {isNot} {visible(after)}
    </>
  ) : (
    <>
      {b && <Name side={1} selected={b} />} {isNot} {visible(before)}
    </>
  );
}

/** Which part of a module is in the clicked box, if other boxes have the rest. */
function PartRow({ part: { count, of, ops, graph } }: { part: Part }): JSX.Element {
  return (
    <Row
      term={count > 1 ? "these boxes" : "this box"}
      note="The module appears in each graph that holds a part of it"
    >
      {`${grouped(count)} of ${grouped(of)}: ${plural(ops, "op")}, in ${visible(graph)}`}
    </Row>
  );
}

/** Selects its box; for a folded run the first. */
function Name({ side, selected }: { side: Side; selected: SideOfSelection }): JSX.Element {
  const { columns, pair } = usePairView();
  const [first] = selected.items;
  if (first === undefined) return <>{visible(nameOf(selected))}</>;
  return (
    <Link
      onClick={() => {
        columns.lead(pair.at + side);
        void pair.explorers[side].revealItem(first);
      }}
    >
      {visible(nameOf(selected))}
    </Link>
  );
}

const nameOf = ({ names: [first = "", ...others] }: SideOfSelection): string =>
  others.length ? `${first} – ${others.at(-1)}` : first;

/** One fact of both sides; once if equal. */
function Sides(props: {
  term: string;
  sides: Inside["sides"];
  of: (selected: SideOfSelection) => string;
}): JSX.Element | null {
  const { term, sides, of } = props;
  const [before, after] = sides.map((side) => side && of(side));
  if (!before && !after) return null;
  return (
    <Row term={term}>
      {before === undefined || after === undefined || before === after ? (
        <Clip text={before || after || ""} />
      ) : (
        <span class="exirviz-change">
          <del>{before || "none"}</del> <span aria-hidden="true">→</span> <ins>{after || "none"}</ins>
        </span>
      )}
    </Row>
  );
}

function Weights({ changes: matches }: { changes: readonly number[] }): JSX.Element | null {
  const { changes } = usePairView().pair;
  const count = matches.filter((match) => changes.fields(match).includes("content")).length;
  if (count === 0) return null;
  return (
    <Row term="contents">
      {plural(count, "weight or delegate", "weights or delegates")} with different bytes
    </Row>
  );
}

/** Grouped by rule if that is shorter, then one by one. */
function ChangesInside({ changes: matches }: { changes: readonly number[] }): JSX.Element {
  const { columns, pair } = usePairView();
  const rules = useMemo(() => rulesIn(pair.changes, matches), [pair, matches]);
  return (
    <>
      {rules.length > 0 && rules.length < matches.length && (
        <div class="exirviz-inside">
          <More
            items={rules}
            first={5}
            of="rules"
            each={({ rule, count, first }) => (
              <RuleRow key={first} rule={rule} count={count} onPress={() => void columns.show(first)} />
            )}
          />
        </div>
      )}
      <div class="exirviz-inside">
        <More
          items={matches}
          first={rules.length < matches.length ? 3 : 6}
          of="changes"
          each={(match) => <ChangeRow key={match} match={match} isCurrent={false} />}
        />
      </div>
    </>
  );
}
