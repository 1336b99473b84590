/** Comparisons from a kernel: a widget of a diff, and two stages of a session. */
import type { AnyModel } from "@anywidget/types";
import type { MeasuredSource } from "../compare/measurements/measurement_runs";
import type { Compared, Found } from "../compare/model/compared_programs";
import { readSections } from "../snapshot";
import { unpack } from "../snapshot/container";
import type { Stages } from "../stages";
import type { Reproduce, Reproducer } from "../stages/source";
import { mountCompare } from "./compare";
import { bytesOf, Kernel, part } from "./kernel";
import { asProgress } from "./stages";
import type { WidgetState } from "./widget";

/** Renders the widget of a diff; returns its cleanup. */
export function renderDiff(model: AnyModel<WidgetState>, el: HTMLElement): () => void {
  const kernel = new Kernel(model);
  el.classList.add("exirviz-resizable");
  const resize = (): void => {
    // Not the height itself: ipywidgets clears it when its layout arrives.
    el.style.setProperty("--exirviz-height", `${model.get("height")}px`);
  };
  resize();
  model.on("change:height", resize);
  const mounted = mountCompare(el, read(kernel, model), { appearance: model.get("appearance") });
  return () => {
    model.off("change:height", resize);
    kernel.dispose();
    mounted.dispose();
    el.classList.remove("exirviz-resizable");
  };
}

/** The data that came with the widget, usable once; a later view requests it. */
async function read(kernel: Kernel, model: AnyModel<WidgetState>): Promise<Compared> {
  const here = model.get("_program");
  const parts = here?.length ? here : (await kernel.ask("diff")).buffers;
  if (here?.length) {
    model.set("_program", []);
    model.save_changes();
  }
  const [comparison, ...sections] = parts.map(bytesOf);
  const snapshot = (at: number) =>
    readSections(
      async () => sections[at] as Uint8Array,
      async () => sections[at + 1] as Uint8Array,
    );
  const [a, b, found] = await Promise.all([snapshot(0), snapshot(2), unpack(comparison as Uint8Array)]);
  const text = async () => unpack(part((await kernel.ask("text")).buffers[0]));
  const measured = measuredByKernel(kernel, model.get("_why_not_run") ?? "");
  return { snapshots: [a, b], between: [{ comparison: found, text, measured }] };
}

/** The kernel's measurements of the two programs of a diff. */
function measuredByKernel(kernel: Kernel, whyNot: string): MeasuredSource {
  const stop = (): void => void kernel.ask("stop", {}).catch(() => undefined);
  return {
    known: async () => unpack(part((await kernel.ask("measured")).buffers[0])),
    values:
      whyNot ||
      (async (options) => unpack(part((await kernel.ask("values", { options: { ...options } })).buffers[0]))),
    ...(!whyNot && {
      bisect: async (node: string) => unpack(part((await kernel.ask("bisect", { node })).buffers[0])),
      reproduce: async (what: Reproduce) => (await kernel.ask("reproducer", { ...what })).message,
    }),
    ...(!whyNot && oneByOne(["a", "b"], (stage) => kernel.ask("profile", { stage, options: {} }), stop)),
    subscribe: (listener) => {
      kernel.on("progress", (message) => listener(asProgress(message)));
      return () => kernel.on("progress", () => undefined);
    },
  };
}

/** Profiles one after the other; stopping one skips the rest. */
function oneByOne(
  stages: readonly string[],
  profile: (stage: string) => Promise<unknown>,
  stop: () => void,
): Required<Pick<MeasuredSource, "profile" | "stop">> {
  let isStopped = false;
  return {
    profile: async () => {
      isStopped = false;
      for (const stage of stages) if (!isStopped) await profile(stage);
    },
    stop: () => {
      isStopped = true;
      stop();
    },
  };
}

/** The same for two stages. */
function measuredOfStages({ source }: Stages, a: string, b: string): MeasuredSource {
  const { comparing, actions } = source;
  const known = async () => {
    const found = await comparing?.measured(a, b);
    return found ? unpack(found) : {};
  };
  if (typeof actions === "string") return { known, values: actions };
  return {
    known,
    values: comparing?.values
      ? async (options) => unpack((await comparing.values?.(a, b, { ...options })) as Uint8Array)
      : "Values of these stages cannot be compared here.",
    ...(comparing?.bisect && {
      bisect: async (node: string) => unpack((await comparing.bisect?.(a, b, node)) as Uint8Array),
    }),
    ...(comparing?.reproduce && {
      reproduce: (what: Reproduce) => comparing.reproduce?.(a, b, what) as Promise<Reproducer>,
    }),
    ...oneByOne(
      [a, b],
      (stage) => actions.profile(stage, {}),
      () => actions.stop(),
    ),
    subscribe: (listener) => source.subscribe(() => listener(source.state.progress)),
  };
}

/** Each stage compared with the previous one by the kernel; results are cached. */
export function comparedStages(stages: Stages, ids: readonly string[]): Promise<Compared> {
  const { comparing } = stages.source;
  const known = new Map<string, Promise<Found>>();
  const between = async (a: string, b: string): Promise<Found> => {
    if (!comparing) throw new Error("These stages cannot be compared here.");
    const comparison = await comparing.diff(a, b).then(unpack);
    const text = () => comparing.text(a, b).then(unpack);
    return { comparison, text, measured: measuredOfStages(stages, a, b) };
  };
  const found = (a: string, b: string): Promise<Found> => {
    const one = known.get(`${a} ${b}`) ?? between(a, b);
    known.set(`${a} ${b}`, one);
    one.catch(() => known.delete(`${a} ${b}`)); // allow a new request
    return one;
  };
  const compare = async (wanted: readonly string[]): Promise<Compared> => {
    const [snapshots, all] = await Promise.all([
      Promise.all(wanted.map((id) => stages.snapshot(id))),
      Promise.all(wanted.slice(1).map((b, i) => found(wanted[i] ?? "", b))),
    ]);
    return { snapshots, between: all, of: { stages, ids: wanted, compare } };
  };
  return compare(ids);
}
