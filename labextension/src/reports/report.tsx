/**
 * One report: its outcome, facts, and sections of rows. It knows no analysis: what one needs is a field of Report.
 */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { costText, type Profile } from "../profile";
import {
  byteText,
  decibelText,
  grouped,
  NONE,
  type Snapshot,
  type SymbolValues,
  secondsText,
  shareText,
} from "../snapshot";
import type { Here, Selection } from "../ui/actions";
import { Clip } from "../ui/clip";
import { Link, NodeLink } from "../ui/links";
import { More } from "../ui/more";
import { Absent, Row as Fact, Rows as Facts } from "../ui/section";
import { capitalized, plural, visible } from "../ui/text";
import { overlayName } from "./overlay";
import { present, type ShownFact, type ShownReport, type ShownRow, type ShownSection } from "./reports";
import { type Column, OUTCOMES, type Outcome } from "./schema";
import { evaluated, Sliders, type WhatIf } from "./sizes";
import { Sources } from "./source";

/** What is listed before the rest is folded. */
const FIRST_ROWS = 12;
const FIRST_NODES = 3;
/** A report with more rows can be filtered, also where no row has a severity. */
const FEW_ROWS = 12;

type Cell = NonNullable<ShownRow["values"]>[number] | undefined;

export interface Coloring {
  /** What the boxes are colored by. */
  readonly overlay: string;
  readonly onOverlay: (name: string) => void;
}

interface ReportProps extends Here, Coloring {
  readonly report: ShownReport;
  readonly profile: Profile | undefined;
  readonly selection: Selection;
  readonly whatIf?: WhatIf | undefined;
}

export function ReportView(props: ReportProps) {
  const { report, profile, overlay, onOverlay, selection, whatIf, snapshot, actions } = props;
  const here = { snapshot, actions };
  const { name = "", title = name, headline, outcome, about, facts = [], sections = [], unexamined } = report;
  const { sliders = [], sources = [], marks = [] } = report;
  const [hidden, hide] = useState<ReadonlySet<Outcome>>(new Set());
  const [text, setText] = useState("");
  const shown = useMemo(
    () => filtered(sections, { hidden, text, name: (node) => snapshot.id(node) }),
    [sections, hidden, text, snapshot],
  );
  const rows = sections.flatMap((section) => section.rows);
  const severities = OUTCOMES.filter((each) => rows.some((row) => severityOf(row) === each));
  const hasSeverities = severities.some((each) => each !== "fine");
  const own = overlayName(name);
  const toggle = (severity: Outcome): void => {
    const next = new Set(hidden);
    if (!next.delete(severity)) next.add(severity);
    hide(next);
  };
  // What is tried or read line by line comes right after the outcome.
  const isFirst = sliders.length > 0 || sources.length > 0;
  const rest = (
    <>
      {unexamined?.map((each) => (
        <p key={each} class="exirviz-hint" role="note">
          Not examined: {visible(each)}
        </p>
      ))}
      {(hasSeverities || rows.length > FEW_ROWS) && (
        <div class="exirviz-report-filter">
          {hasSeverities &&
            severities.map((severity) => (
              <button
                key={severity}
                type="button"
                class={`exirviz-severity exirviz-severity-${severity}`}
                aria-pressed={!hidden.has(severity)}
                title={hidden.has(severity) ? "Show these rows" : "Hide these rows"}
                onClick={() => toggle(severity)}
              >
                {countOf(severity, rows)}
              </button>
            ))}
          <input
            type="search"
            class="exirviz-report-filter-text"
            aria-label="Filter rows"
            placeholder="Filter by node or text"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      )}
    </>
  );
  return (
    <article class="exirviz-panel exirviz-report" aria-label={visible(title)}>
      <div class="exirviz-section">
        {about && <p class="exirviz-dim">{visible(about)}</p>}
        <p class={`exirviz-report-headline exirviz-outcome-${outcome ?? "fine"}`}>{visible(headline)}</p>
        {facts.length > 0 && (
          <Facts>
            {facts.map((fact, i) => (
              <Fact key={i} term={visible(fact.label)}>
                <FactText {...here} fact={fact} />
              </Fact>
            ))}
          </Facts>
        )}
        {report.overlay && report.overlay.length > 0 && (
          <button
            type="button"
            class="exirviz-panel-button"
            aria-pressed={overlay === own}
            onClick={() => onOverlay(overlay === own ? "kind" : own)}
          >
            Color by {visible(title.toLowerCase())}
          </button>
        )}
        {!isFirst && rest}
      </div>
      {sliders.length > 0 && whatIf && <Sliders report={report} whatIf={whatIf} />}
      {sources.length > 0 && <Sources {...{ sources, marks, actions, selection }} />}
      {isFirst && <div class="exirviz-section">{rest}</div>}
      {rows.length > 0 && shown.length === 0 && <Absent>No row matches the filter.</Absent>}
      {shown.map((section) => (
        <SectionView
          key={section.title}
          {...here}
          profile={profile}
          tried={whatIf?.values.sizes}
          section={section}
        />
      ))}
    </article>
  );
}

const countOf = (severity: Outcome, rows: readonly ShownRow[]): string =>
  plural(rows.filter((row) => severityOf(row) === severity).length, severity === "fine" ? "other" : severity);

const severityOf = ({ severity = "fine" }: ShownRow): Outcome => severity;

function FactText({ fact: { text, nodes }, snapshot: _, actions }: Here & { fact: ShownFact }) {
  const there = present(nodes);
  if (there.length === 0) return <>{visible(text)}</>;
  return (
    <Link title={`Select ${plural(there.length, "node")}`} onClick={() => actions.select(there)}>
      {visible(text)}
    </Link>
  );
}

/** What a row needs in addition to itself. */
interface Given extends Here {
  readonly profile: Profile | undefined;
  /** The sizes for which formulas are evaluated. */
  readonly tried: SymbolValues | undefined;
}

function SectionView({ section, ...given }: Given & { section: ShownSection }) {
  const { title, rows, columns = [], note } = section;
  const each = (row: ShownRow, i: number): ComponentChildren => (
    <RowView key={`${row.name}${row.title}${row.reason}${i}`} {...given} row={row} columns={columns} />
  );
  return (
    <details class="exirviz-section" open>
      <summary class="exirviz-section-head">
        <h4>{capitalized(visible(title))}</h4>
        <span class="exirviz-aside">{grouped(rows.length)}</span>
      </summary>
      {note && <p class="exirviz-hint">{visible(note)}</p>}
      <More items={rows} first={FIRST_ROWS} of="rows" each={each} />
    </details>
  );
}

function RowView({ row, columns, ...given }: Given & { row: ShownRow; columns: readonly Column[] }) {
  const { formula, title } = row;
  const now = formula && evaluated(formula, given.tried);
  const sized = formula && (formula.expr === title ? `${now}` : `${formula.expr} = ${now}`);
  const cells = columns.map((column, i) => ({
    column,
    cell: column.unit === "size" && now !== undefined ? sized : row.values?.[i],
  }));
  return (
    <div class="exirviz-report-row">
      <Statement {...given} row={row}>
        {cells.length > 0 && (
          <div class="exirviz-report-values">
            {cells.map(({ column, cell }) => (
              <span key={column.name}>
                <span class="exirviz-dim">{visible(column.name)}</span> {cellText(cell, column)}
              </span>
            ))}
          </div>
        )}
      </Statement>
    </div>
  );
}

/** Exported for tests. */
export function cellText(cell: Cell, { unit = "text" }: Column): string {
  if (cell === undefined || cell === null) return "–";
  if (typeof cell === "string") return visible(cell);
  switch (unit) {
    case "bytes":
      return byteText(cell);
    case "share":
      return shareText(cell);
    case "seconds":
      return secondsText(cell);
    case "decibels":
      return decibelText(cell);
    default:
      return grouped(cell);
  }
}

function Statement({
  row,
  profile,
  children,
  ...here
}: Given & { row: ShownRow; children: ComponentChildren }) {
  const { title, reason, remedy, nodes = [], texts = [], places = [], name, section, url, query } = row;
  const severity = severityOf(row);
  const there = present(nodes);
  const cost = costText(profile, there);
  const items = nodes.map((node, i) => ({ node, text: texts[i] ?? "", place: places[i] ?? "" }));
  return (
    <>
      <div class="exirviz-report-head">
        {severity !== "fine" && (
          <span class={`exirviz-severity exirviz-severity-${severity}`}>{severity}</span>
        )}
        {there.length > 0 ? (
          <Link title={`Select ${plural(there.length, "node")}`} onClick={() => here.actions.select(there)}>
            {visible(title)}
          </Link>
        ) : (
          <span>{visible(title)}</span>
        )}
        {nodes.length > 0 && <span class="exirviz-report-times">×{grouped(nodes.length)}</span>}
        {query && (
          <Link title={`Find ${visible(query)}`} onClick={() => here.actions.search(query)}>
            Find
          </Link>
        )}
      </div>
      {children}
      {(section || url) && (
        <div class="exirviz-dim">
          {name && `${visible(name)} · `}
          <Stated section={section} url={url} />
        </div>
      )}
      {reason && <div>{visible(reason)}</div>}
      {cost && <div class="exirviz-dim">{cost}</div>}
      {items.length > 0 && (
        <div class="exirviz-children">
          <More
            items={items}
            first={FIRST_NODES}
            of="nodes"
            each={(item, i) => <NodeLine key={i} {...here} {...item} />}
          />
        </div>
      )}
      {remedy && <div>→ {visible(remedy)}</div>}
    </>
  );
}

/** The document that states a rule; a link leads only to the web. */
function Stated({ section = "", url = "" }: { section: string | undefined; url: string | undefined }) {
  if (!/^https?:\/\//.test(url)) return <>{visible(section)}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {visible(section || url)}
    </a>
  );
}

/** A node with the user's line that made it, or its module, and what there is to say of it. */
function NodeLine({ node, text, place, ...here }: Here & { node: number; text: string; place: string }) {
  const { snapshot } = here;
  if (node === NONE) return text ? <div>{visible(text)}</div> : null;
  return (
    <div>
      <div class="exirviz-row-pair">
        <NodeLink {...here} node={node} />
        <span class="exirviz-dim">
          <Clip text={moduleOf(snapshot, node) || place} />
        </span>
      </div>
      {text && <div class="exirviz-dim">{visible(text)}</div>}
    </div>
  );
}

const moduleOf = (snapshot: Snapshot, node: number): string =>
  snapshot.scopes[snapshot.ownerOf(node)]?.path ?? "";

interface Filter {
  readonly hidden: ReadonlySet<Outcome>;
  readonly text: string;
  readonly name: (node: number) => string;
}

/**
 * The sections with the rows that match, without those that have none. A row whose own words match keeps all of its
 * nodes, another one those that match. Exported for tests.
 */
export function filtered(
  sections: readonly ShownSection[],
  { hidden, text, name }: Filter,
): readonly ShownSection[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted && hidden.size === 0) return sections;
  const holds = (part = ""): boolean => part.toLowerCase().includes(wanted);
  const rowOf = (row: ShownRow): readonly ShownRow[] => {
    if (hidden.has(severityOf(row))) return [];
    const texts = [row.title, row.name, row.reason, row.remedy, ...(row.values ?? []).map(String)];
    if (!wanted || texts.some((each) => holds(each))) return [row];
    const { nodes = [], places = [] } = row;
    const own = row.texts ?? [];
    const kept = nodes.flatMap((node, i) =>
      holds(own[i]) || holds(places[i]) || (node !== NONE && holds(name(node))) ? [i] : [],
    );
    if (kept.length === 0) return [];
    const pick = <T,>(values: readonly T[]): readonly T[] =>
      values.length === 0 ? values : kept.flatMap((i) => values[i] ?? []);
    return [{ ...row, nodes: pick(nodes), texts: pick(own), places: pick(places) }];
  };
  return sections.flatMap((section) => {
    const rows = section.rows.flatMap(rowOf);
    return rows.length > 0 ? [{ ...section, rows }] : [];
  });
}
