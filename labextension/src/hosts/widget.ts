/**
 * The notebook host: an anywidget module. It passes the kernel's messages to the explorer and the user's
 * actions to the kernel. The returned cleanup runs when the output is cleared or the cell is run again.
 */
import type { AnyModel, Render } from "@anywidget/types";
import type { Appearance } from "../canvas/theme";
import { type Explorer, showProfile } from "../explorer";
import { asView } from "../store";
import { fitCharts } from "./charts";
import { renderDiff } from "./compared";
import { type Mounted, mountExplorer } from "./explorer";
import { bytesOf, Kernel, part } from "./kernel";
import type { KernelStatus } from "./kernel_status";
import { execute } from "./orders";
import { takeProfiles } from "./profiles";
import { kernelReports } from "./reports";
import { seriesOf } from "./series";
import { KernelStages } from "./stages";
import { offerTab } from "./tab_events";
import { syncView, type Turns } from "./view_sync";

export type WidgetState = {
  title: string;
  height: number;
  appearance: Appearance;
  selection: string[];
  view: Record<string, unknown>;
  /** The same in every page with this explorer. */
  _explorer_id: string;
  /** The size of the program in the saved notebook; empty if it is not saved. */
  _saved?: string;
  /** The program's packed parts, until a page has taken them; those of a session begin with its tree. */
  _program: readonly DataView[];
  _is_session?: boolean;
  _is_diff?: boolean;
  /** For a diff: why its programs cannot be run; empty if they can. */
  _why_not_run?: string;
};

/** Milliseconds after the first picture; then the panels' data is loaded too, in case the kernel is lost. */
const LATER = 1_000;

const STATUS_TEXT: Readonly<Record<KernelStatus, string>> = {
  alive: "",
  silent: "Kernel not responding (busy or disconnected).",
  disconnected: "Kernel disconnected. You can still browse; run the cell again to lower or profile.",
};

const render: Render<WidgetState> = ({ model, el }) => {
  if (model.get("_is_diff")) return renderDiff(model, el);
  const kernel = new Kernel(model);
  const program = new Program(kernel, model);
  const stages = model.get("_is_session") ? new KernelStages(kernel, program.take()) : undefined;
  el.classList.add("exirviz-resizable");
  const resize = (): void => {
    // Not the height itself: ipywidgets clears it when its layout arrives.
    el.style.setProperty("--exirviz-height", `${model.get("height")}px`);
  };
  resize();
  model.on("change:height", resize);
  const stopFitting = fitCharts(el.ownerDocument);
  const view = asView(model.get("view"));
  const mounted = mountExplorer(
    el,
    stages
      ? { stages: stages.ready }
      : {
          skeleton: () => program.skeleton(),
          detail: () => program.detail(),
          reports: kernelReports(kernel),
          isDetailHere: () => program.isDetailHere,
        },
    { title: model.get("title"), appearance: model.get("appearance"), ...(view && { view }) },
  );
  const saved = model.get("_saved");
  const note = saved ? `This notebook holds the program (${saved}).` : "";
  mounted.notice(note);
  kernel.onStatus = (life) => {
    mounted.notice(STATUS_TEXT[life] || note);
    stages?.turned(life);
  };
  let stop = (): void => undefined;
  mounted.ready.then(
    (explorer) => {
      const turns = takeTurns();
      listen(kernel, explorer, mounted, turns);
      const unfollow = syncView(model, explorer, turns, { onSent: () => kernel.acted() });
      const untab = offerTab(explorer, {
        id: model.get("_explorer_id"),
        title: model.get("title"),
        host: el,
        picture: () => mounted.picture(),
      });
      const timer = stages ? 0 : setTimeout(() => program.detail().catch(() => undefined), LATER);
      stop = () => {
        clearTimeout(timer);
        untab();
        unfollow();
      };
    },
    () => undefined, // the mount shows the error
  );
  return () => {
    stop();
    stopFitting();
    model.off("change:height", resize);
    kernel.dispose();
    mounted.dispose();
    el.classList.remove("exirviz-resizable");
  };
};

/**
 * The program's two packed parts, each loaded once. They come with the widget, because an answer would wait
 * for every queued cell. They are removed when taken, so that they are not saved with the notebook. A second
 * view of the widget, or a reopened page, requests them.
 */
class Program {
  private packed: Uint8Array | undefined;

  constructor(
    private readonly kernel: Kernel,
    private readonly model: AnyModel<WidgetState>,
  ) {}

  get isDetailHere(): boolean {
    return this.packed !== undefined;
  }

  async skeleton(): Promise<Uint8Array> {
    const [skeleton, detail] = this.take() ?? (await this.kernel.ask("skeleton")).buffers;
    if (detail) this.packed = bytesOf(detail); // a small one comes along
    return part(skeleton);
  }

  async detail(): Promise<Uint8Array> {
    this.packed ??= part((await this.kernel.ask("detail")).buffers[0]);
    return this.packed;
  }

  /** The parts that came with the widget, once. */
  take(): readonly DataView[] | undefined {
    const parts = this.model.get("_program");
    if (!parts?.length) return undefined;
    this.model.set("_program", []);
    this.model.save_changes();
    this.kernel.askIfAlive(); // the kernel learns that there is a view, and sends it its pending orders
    return parts;
  }
}

/** Handles messages of the kernel that are not answers. */
function listen(kernel: Kernel, explorer: Explorer, mounted: Mounted, turns: Turns): void {
  let labels: readonly string[] = [];
  const choose = (name: string): void => explorer.store.set({ overlay: { ...explorer.state.overlay, name } });
  kernel.on("series", ({ series: heads, show }, buffers) => {
    const series = seriesOf(heads, buffers, explorer.snapshot);
    mounted.paint(series);
    const before = labels;
    labels = series.map(({ label }) => label);
    const { name } = explorer.state.overlay;
    if (show !== null) turns(async () => choose(show));
    else if (before.includes(name) && !labels.includes(name)) turns(async () => choose("kind"));
  });
  kernel.on("profiles", ({ stages, show }, buffers) => {
    takeProfiles(explorer, stages, buffers);
    if (show !== null) turns(() => showProfile(explorer, show));
  });
  kernel.on("do", (message) => turns(() => execute(explorer, message)));
}

/** Runs one order after the other: each builds on what the previous one opened. */
function takeTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return (act) => {
    last = last.then(act).catch((problem: unknown) => {
      // Report it like any page error; the next order still runs.
      setTimeout(() => {
        throw problem;
      });
    });
  };
}

export default { render };
