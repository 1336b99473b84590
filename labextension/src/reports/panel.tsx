/** The tab of reports: all of them with their outcomes, and the one that is open. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Profile } from "../profile";
import type { Snapshot } from "../snapshot";
import type { Here, Selection } from "../ui/actions";
import { Busy, Empty, Failed } from "../ui/states";
import { visible } from "../ui/text";
import { type Coloring, ReportView } from "./report";
import { type ListedReport, type ReportState, type Reports, reportsOf } from "./reports";
import type { WhatIf } from "./sizes";

/** Milliseconds for which a report is waited for in silence. */
const SILENT = 300;

/** What is open, and what the boxes are colored by: state of the mount. */
export interface ReportAccess extends Coloring {
  /** The name of the report that is open; "" for none. */
  readonly open: string;
  readonly onOpen: (name: string) => void;
}

interface ReportsProps extends Here, ReportAccess {
  readonly profile: Profile | undefined;
  readonly selection: Selection;
  readonly whatIf?: WhatIf | undefined;
}

/** Rerenders when a report comes. */
export function useReports(snapshot: Snapshot): Reports | undefined {
  const reports = reportsOf(snapshot);
  const [, setChanges] = useState(0);
  useEffect(() => reports?.subscribe(() => setChanges((count) => count + 1)), [reports]);
  return reports;
}

export function ReportsPanel(props: ReportsProps) {
  const { snapshot, open, onOpen } = props;
  const reports = useReports(snapshot);
  useEffect(() => {
    let isShown = true;
    void reports?.loadList().then(() => reports.loadAll(() => isShown));
    return () => {
      isShown = false;
    };
  }, [reports]);
  const listed = reports?.list?.some(({ name }) => name === open) ? open : "";
  useEffect(() => {
    if (listed) void reports?.load(listed);
  }, [reports, listed]);
  // A report that a key or a link opened is scrolled to; of a click in the list, the list stays where it is.
  const clicked = useRef("");
  const place = useRef<HTMLDivElement>(null);
  const isReady = listed !== "" && reports?.of(listed).state === "ready";
  useEffect(() => {
    const panel = place.current?.closest(".exirviz-tab-panel");
    if (!isReady || !panel || !place.current) return;
    const { top } = place.current.getBoundingClientRect();
    if (clicked.current !== listed) panel.scrollTop += top - panel.getBoundingClientRect().top;
    clicked.current = "";
  }, [listed, isReady]);
  if (!reports) {
    const { is_large: isLarge = false } = snapshot.skeleton.page ?? {};
    return (
      <Empty title="No reports here">
        {isLarge
          ? "Files and pages have no reports of large programs: exir_viz.explore makes them when you open one."
          : "They were not made for this program. In Python, exir_viz.reports.run(name, program) makes one."}
      </Empty>
    );
  }
  if (!reports.list) {
    return reports.problem ? (
      <Failed what="No reports" why={reports.problem} onRetry={() => void reports.loadList()} />
    ) : (
      <Late what="Reading which reports there are…" />
    );
  }
  if (reports.list.length === 0) {
    return (
      <Empty title="No reports">
        There is no analysis of programs. Add yours with @exir_viz.reports.register.
      </Empty>
    );
  }
  return (
    <div class="exirviz-reports">
      <ul class="exirviz-report-list" aria-label="Reports">
        {reports.list.map((each) => (
          <Listed
            key={each.name}
            {...each}
            state={reports.of(each.name)}
            isOpen={each.name === listed}
            onClick={() => {
              clicked.current = each.name;
              onOpen(each.name === listed ? "" : each.name);
            }}
          />
        ))}
      </ul>
      {listed && (
        <div ref={place}>
          <Opened key={listed} {...props} name={listed} state={reports.of(listed)} reports={reports} />
        </div>
      )}
    </div>
  );
}

function Listed({
  title,
  about,
  state,
  isOpen,
  onClick,
}: ListedReport & { state: ReportState; isOpen: boolean; onClick: () => void }) {
  const { outcome = "fine", headline = "" } = state.state === "ready" ? state.report : {};
  return (
    <li>
      <button
        type="button"
        class={`exirviz-report-name ${isOpen ? "is-open" : ""}`}
        aria-expanded={isOpen}
        title={visible(headline || about)}
        onClick={onClick}
      >
        <span class="exirviz-report-title">{visible(title)}</span>
        <span class={`exirviz-report-outcome exirviz-outcome-${outcome}`}>
          {state.state === "failed" ? "not loaded" : visible(headline)}
        </span>
      </button>
    </li>
  );
}

function Opened({
  name,
  state,
  reports,
  ...props
}: ReportsProps & { name: string; state: ReportState; reports: Reports }) {
  switch (state.state) {
    case "ready":
      return <ReportView {...props} report={state.report} />;
    case "failed":
      return <Failed what="No report" why={state.problem} onRetry={() => void reports.load(name)} />;
    default:
      return <Late what="Making the report…" />;
  }
}

/** Says what takes long, once it does. */
function Late({ what }: { what: string }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SILENT);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? <Busy what={what} /> : null;
}
