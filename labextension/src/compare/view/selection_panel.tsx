/** The selection: for a match its nodes, rule, fields and evidence; for a module all facts. */

import type { JSX } from "preact";
import { useDetail } from "../../panels/detail";
import { opName, percent } from "../../snapshot";
import { Link } from "../../ui/links";
import { Row, Rows, Section } from "../../ui/section";
import { visible } from "../../ui/text";
import { type Changes, SIDES, type Side } from "../model/changes";
import type { Inside } from "../model/group_details";
import { usePairPart, usePairView } from "./context";
import { differences } from "./field_differences";
import { SelectedGroup, useInside } from "./group_panel";
import { Figures } from "./match_measurements";
import { Names, Quoted, Sign } from "./panel_parts";

export function Selected(): JSX.Element {
  const { columns, pair } = usePairView();
  const match = usePairPart((state) => state.match);
  const inside = useInside();
  const { changes } = pair;
  if (match < 0 && inside) return <SelectedGroup key={keyOf(inside)} inside={inside} />;
  if (match < 0) {
    return (
      <Section title="Selected">
        <p class="exirviz-dim">
          Select a box to see what became of it
          {changes.list.length > 0 && (
            <>
              , or press <kbd>N</kbd> for the first change
            </>
          )}
          .
        </p>
      </Section>
    );
  }
  const kind = changes.kind(match);
  const ground = changes.ground(match);
  // The same count as in the bar: through all columns.
  const { position, changeCount } = columns;
  const isFound = kind !== "added" && kind !== "removed";
  return (
    <Section title="Selected" {...(position >= 0 && { aside: `change ${position + 1} of ${changeCount}` })}>
      <p class="exirviz-became">
        <Sign kind={kind} /> <Became match={match} />
      </p>
      {changes.reason(match) && (
        <p class="exirviz-reason">
          <Quoted text={visible(changes.reason(match))} />
        </p>
      )}
      <Fields match={match} />
      <Figures match={match} />
      <p class="exirviz-dim exirviz-ground">
        in <Place match={match} />
      </p>
      {ground && isFound && (
        <p class="exirviz-dim exirviz-ground" title={`evidence: ${visible(ground.name)}`}>
          Matched by {visible(ground.text)} ({confidence(ground.confidence)})
        </p>
      )}
    </Section>
  );
}

function Became({ match }: { match: number }): JSX.Element {
  const { changes } = usePairView().pair;
  const [before, after] = ([0, 1] as const).map((side) => changes.nodes(match, side).length);
  if (!before)
    return (
      <>
        added <Names match={match} side={1} />
      </>
    );
  if (!after)
    return (
      <>
        removed <Names match={match} side={0} />
      </>
    );
  const words = { same: "is", moved: "moved to", changed: "is now", rewritten: "became" } as const;
  const kind = changes.kind(match) as keyof typeof words;
  const delegate = kind === "moved" ? delegateOf(changes, match) : undefined;
  const isSameName = namesOf(changes, match, 0) === namesOf(changes, match, 1);
  if (isSameName && (kind === "changed" || kind === "moved"))
    return (
      <>
        <Names match={match} side={1} /> {delegate ? `delegated to ${visible(delegate)}` : kind}
      </>
    );
  return (
    <>
      <Names match={match} side={0} /> {delegate ? "delegated as" : words[kind]}{" "}
      <Names match={match} side={1} />
    </>
  );
}

/** The delegate into which a match moved; undefined if it was in one before. */
function delegateOf(changes: Changes, match: number): string | undefined {
  const [before, after] = SIDES.map((side) => {
    const [node] = changes.nodes(match, side);
    return node === undefined ? undefined : changes.snapshots[side].delegateAround(node);
  });
  return before ? undefined : after?.name;
}

/** The key of the selection: lists that were opened for another one are closed. */
const keyOf = ({ sides }: Inside): string => sides.map((side) => side?.items.join(",") ?? "").join(";");

const namesOf = (changes: Changes, match: number, side: Side): string =>
  changes
    .nodes(match, side)
    .map((node) => changes.snapshots[side].name(node))
    .join("\n");

/** The module of a match; a click selects its box. */
function Place({ match }: { match: number }): JSX.Element {
  const { columns, pair } = usePairView();
  const path = pair.changes.path(match);
  const scopes = pair.changes.scopes(match);
  if (!path) return <>the whole model</>;
  if (!columns.drawn(scopes)) return <>{visible(path)}</>;
  return (
    <Link title="Select the module and all changes in it" onClick={() => void columns.showModule(scopes)}>
      {visible(path)}
    </Link>
  );
}

/** For one node on either side: each field that differs, before and after. */
function Fields({ match }: { match: number }): JSX.Element | null {
  const { changes } = usePairView().pair;
  const fields = changes.fields(match);
  const details = [useDetail(changes.snapshots[0]), useDetail(changes.snapshots[1])].map((each) =>
    each.state === "ready" ? each.detail : undefined,
  );
  if (fields.length === 0) return <Ops changes={changes} match={match} />;
  return (
    <Rows>
      {differences(changes, match, details).map(({ field, before, after }) => (
        <Row key={field} term={field}>
          {before === undefined ? (
            "differs"
          ) : (
            <code class="exirviz-change">
              <del>{visible(before)}</del> <span aria-hidden="true">→</span> <ins>{visible(after ?? "")}</ins>
            </code>
          )}
        </Row>
      ))}
    </Rows>
  );
}

/** For a rewritten match: the ops of either side, in full. */
function Ops({ changes, match }: { changes: Changes; match: number }): JSX.Element | null {
  if (changes.kind(match) === "same") return null;
  const ops = (side: Side): string =>
    changes
      .nodes(match, side)
      .map((node) => opName(changes.snapshots[side].target(node)))
      .join(", ");
  const [before, after] = [ops(0), ops(1)];
  return (
    <Rows>
      {before && (
        <Row term="before">
          <code>{visible(before)}</code>
        </Row>
      )}
      {after && (
        <Row term="after">
          <code>{visible(after)}</code>
        </Row>
      )}
    </Rows>
  );
}

const confidence = (part: number): string =>
  part === 1 ? "exact" : `correct in ${percent(part, 1)}% of tests`;
