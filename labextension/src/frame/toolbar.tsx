/** The tools of the picture in one row above it. Tooltips name the key with the same effect. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Kind } from "../layout";
import { BUILT_IN, RULES, type Series, WITH_DETAIL } from "../overlay";
import { MEASURES } from "../profile";
import { keyHint } from "../ui/shortcuts";
import { visible } from "../ui/text";
import { useDetailNow, useExplorer, usePart } from "./context";
import { useCosts, useProfile } from "./costs";
import type { Image } from "./export";
import { More, Part } from "./more_menu";
import { useRoving } from "./roving_tabindex";
import { MovedSelectionTools, SelectionTools } from "./selection_tools";
import { TimelineButton } from "./timeline";
import { type Tool, useOverflow } from "./toolbar_overflow";

interface ToolbarProps {
  readonly series: readonly Series[];
  readonly onSave: (image: Image) => void;
}

export function Toolbar({ series, onSave }: ToolbarProps): JSX.Element {
  const isBusy = usePart((state) => state.isBusy);
  const { bar, moved } = useOverflow();
  useRoving(bar);
  return (
    <div class="exirviz-toolbar" role="toolbar" aria-label="Graph tools" ref={bar}>
      <Moves />
      <Fit />
      <OpenAll />
      <ColorChoice series={series} />
      <ByDelegate />
      <Fold />
      <TimelineButton />
      <More onSave={onSave}>{moved.size > 0 && <MovedTools moved={moved} series={series} />}</More>
      <Help />
      {isBusy && (
        <span class="exirviz-busy" role="status" data-floats>
          Computing layout…
        </span>
      )}
      <StatusNotice />
      <SelectionTools />
    </div>
  );
}

/** The tools that do not fit into the row, as the menu shows them. */
function MovedTools({ moved, series }: { moved: ReadonlySet<Tool>; series: readonly Series[] }): JSX.Element {
  return (
    <Part title="Tools">
      {moved.has("history") && <Moves />}
      {moved.has("fit") && <Fit />}
      {moved.has("open-all") && <OpenAll />}
      {moved.has("color") && <ColorChoice series={series} />}
      {moved.has("group-by") && <ByDelegate />}
      {moved.has("fold") && <Fold />}
      {moved.has("timeline") && <TimelineButton />}
      {moved.has("help") && <Help />}
      <MovedSelectionTools moved={moved} />
    </Part>
  );
}

function Fit(): JSX.Element {
  const explorer = useExplorer();
  return (
    <button
      type="button"
      data-tool="fit"
      title={`Fit graph to view (${keyHint("fit")})`}
      onClick={() => explorer.fit()}
    >
      Fit
    </button>
  );
}

function Help(): JSX.Element {
  const explorer = useExplorer();
  return (
    <button
      type="button"
      data-tool="help"
      title={`Keyboard shortcuts and search help (${keyHint("help")})`}
      aria-label="Help"
      onClick={() => explorer.store.set({ isHelpOpen: true })}
    >
      ?
    </button>
  );
}

/** Milliseconds for which a message is shown, at least and per letter. */
const NOTICE_TIME = { least: 1_500, letter: 50 } as const;

function StatusNotice(): JSX.Element {
  const explorer = useExplorer();
  const notice = usePart((state) => state.notice);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(
      () => explorer.store.set({ notice: "" }),
      NOTICE_TIME.least + NOTICE_TIME.letter * notice.length,
    );
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <span class="exirviz-status" role="status" data-floats>
      {notice}
    </span>
  );
}

function Moves(): JSX.Element {
  const { history } = useExplorer();
  const canGoBack = usePart((state) => state.canGoBack);
  const canGoForward = usePart((state) => state.canGoForward);
  return (
    <span class="exirviz-joined" data-tool="history">
      <button
        type="button"
        title={`Back (${keyHint("back")})`}
        aria-label="Back"
        disabled={!canGoBack}
        onClick={() => void history.goBack()}
      >
        ←
      </button>
      <button
        type="button"
        title={`Forward (${keyHint("forward")})`}
        aria-label="Forward"
        disabled={!canGoForward}
        onClick={() => void history.goForward()}
      >
        →
      </button>
    </span>
  );
}

function OpenAll(): JSX.Element {
  const explorer = useExplorer();
  // Groups that stay closed when all is opened contain no ops.
  const isAllOpen = usePart(
    ({ open, scene, picture }) =>
      open.size > 0 &&
      scene.kind.every(
        (kind, slot) => kind !== Kind.Closed || picture.words.opsOf(scene.item[slot] ?? 0) === 0,
      ),
  );
  return (
    <button
      type="button"
      data-tool="open-all"
      class="exirviz-open-all"
      title={`Open all modules (${keyHint("open-all")}), close all (${keyHint("close-all")})`}
      onClick={() => void (isAllOpen ? explorer.closeAll() : explorer.openAll())}
    >
      {isAllOpen ? "Close all" : "Open all"}
    </button>
  );
}

function ColorChoice({ series }: { series: readonly Series[] }): JSX.Element {
  const explorer = useExplorer();
  const overlay = usePart((state) => state.overlay);
  const detail = useDetailNow();
  const isMeasured = useProfile() !== undefined;
  const hasCosts = useCosts().records.size > 0 || overlay.name.startsWith("cost:");
  const hasRules = usePart((state) => state.rules.length > 0);
  const names = [...BUILT_IN, ...(detail ? WITH_DETAIL : []), ...(hasRules ? [RULES] : [])];
  return (
    <label data-tool="color" title="Color boxes by">
      <span class="exirviz-word">Color:</span>
      <select
        aria-label="Color"
        value={overlay.name}
        onChange={(event) => explorer.store.set({ overlay: { ...overlay, name: event.currentTarget.value } })}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {series.map(({ label, title = label }) => (
          <option key={label} value={label}>
            {visible(title)}
          </option>
        ))}
        {hasCosts && (
          <optgroup label={isMeasured ? "profile" : "profile: not measured at this stage"}>
            {MEASURES.map(({ name, title }) => (
              <option key={name} value={name}>
                {isMeasured ? title : `${title} (profile first)`}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

/** Delegates as boxes or their ops in their modules; only if something is delegated. */
function ByDelegate(): JSX.Element | undefined {
  const explorer = useExplorer();
  const isByDelegate = usePart((state) => state.picture.isByDelegate);
  const hasDelegates = usePart(({ picture }) => picture.snapshot.hasDelegates);
  if (!hasDelegates) return undefined;
  return (
    <fieldset class="exirviz-joined" data-tool="group-by" aria-label="Group by">
      {(["module", "delegate"] as const).map((by) => (
        <button
          key={by}
          type="button"
          aria-pressed={isByDelegate === (by === "delegate")}
          title={
            by === "module"
              ? `Show delegated ops in their modules (${keyHint("by-delegate")})`
              : `Show each delegate as a box (${keyHint("by-delegate")})`
          }
          onClick={() => void explorer.setByDelegate(by === "delegate")}
        >
          By {by}
        </button>
      ))}
    </fieldset>
  );
}

function Fold(): JSX.Element {
  const explorer = useExplorer();
  const isFolded = usePart((state) => state.picture.isFolded);
  return (
    <button
      type="button"
      data-tool="fold"
      aria-pressed={isFolded}
      title={`Show parameters and memory as chips on the ops that use them (${keyHint("fold")})`}
      onClick={() => void explorer.setFolded(!isFolded)}
    >
      Fold<span class="exirviz-word"> parameters</span>
      {isFolded ? " ✓" : ""}
    </button>
  );
}
