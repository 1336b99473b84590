/**
 * The stages of a kernel's session. The kernel's messages about the tree and about progress are the state;
 * requests are sent to it. Without the kernel, loaded stages still work.
 */
import type { ReportSource } from "../snapshot";
import {
  asTree,
  type Options,
  type SourceState,
  type StageActions,
  type StageSource,
  shownOf,
} from "../stages";
import type { Progress, StageComparing } from "../stages/source";
import { bytesOf, DISCONNECTED, type Kernel, part } from "./kernel";
import type { KernelStatus } from "./kernel_status";
import type { ProgressMessage } from "./messages";
import { kernelReports } from "./reports";

export class KernelStages implements StageSource {
  /** Resolves when the tree is known. */
  readonly ready: Promise<StageSource>;
  state: SourceState = { tree: { stages: [] }, at: "" };
  actions: StageActions | string;
  readonly comparing: StageComparing;
  private readonly listeners = new Set<() => void>();
  /** The stage that came with the widget and need not be requested. */
  private here:
    | { readonly stage: string; readonly skeleton: DataView; readonly detail: DataView }
    | undefined;

  constructor(
    private readonly kernel: Kernel,
    parts: readonly DataView[] | undefined,
  ) {
    this.actions = this.kernelActions();
    const compared = async (what: "diff" | "text" | "measured", a: string, b: string): Promise<Uint8Array> =>
      part((await kernel.ask(what, { a, b })).buffers[0]);
    this.comparing = {
      diff: (a, b) => compared("diff", a, b),
      text: (a, b) => compared("text", a, b),
      measured: (a, b) => compared("measured", a, b),
      values: async (a, b, options) => part((await kernel.ask("values", { a, b, options })).buffers[0]),
      bisect: async (a, b, node) => part((await kernel.ask("bisect", { a, b, node })).buffers[0]),
      reproduce: async (a, b, what) => (await kernel.ask("reproducer", { a, b, ...what })).message,
    };
    this.ready = this.start(parts);
    kernel.on("stages", (message) => this.receive(message));
    kernel.on("progress", (message) => this.progressed(message));
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async skeleton(stage: string): Promise<Uint8Array> {
    if (this.here?.stage === stage) return bytesOf(this.here.skeleton);
    return part((await this.kernel.ask("skeleton", { stage })).buffers[0]);
  }

  async detail(stage: string): Promise<Uint8Array> {
    const { here } = this;
    if (here?.stage !== stage) return part((await this.kernel.ask("detail", { stage })).buffers[0]);
    this.here = undefined; // both were read: from now on the explorer has them
    return bytesOf(here.detail);
  }

  reports(stage: string): ReportSource {
    return kernelReports(this.kernel, stage);
  }

  async lineage(stage: string): Promise<unknown> {
    const { buffers } = await this.kernel.ask("lineage", { stage });
    return JSON.parse(new TextDecoder().decode(part(buffers[0])));
  }

  /** The status of the kernel changed. */
  turned(status: KernelStatus): void {
    const actions =
      status === "disconnected"
        ? DISCONNECTED
        : typeof this.actions === "string"
          ? this.kernelActions()
          : this.actions;
    if (actions === this.actions) return;
    this.actions = actions;
    const { progress: _, ...state } = this.state;
    this.set(state);
  }

  private async start(parts: readonly DataView[] | undefined): Promise<StageSource> {
    const [tree, skeleton, detail] = parts ?? [];
    if (!tree) this.receive((await this.kernel.ask("stages")).message);
    else this.receive(JSON.parse(new TextDecoder().decode(tree)) as { tree: unknown; at: unknown });
    const stage = shownOf(this.state.tree, this.state.at)?.id;
    if (stage && skeleton && detail) this.here = { stage, skeleton, detail };
    return this;
  }

  private kernelActions(): StageActions {
    const { kernel } = this;
    return {
      run: async (stage: string, step, options: Options) =>
        (await kernel.ask("run", { stage, step, options })).message.stage,
      stop: () => void kernel.ask("stop", {}).catch(() => undefined),
      profile: async (stage, options: Options) => void (await kernel.ask("profile", { stage, options })),
      rename: async (stage, name) => void (await kernel.ask("rename", { stage, name })),
      drop: async (stage) => void (await kernel.ask("drop", { stage })),
      restore: async () => void (await kernel.ask("restore", {})),
      save: async (what) => {
        const { path, size } = (await kernel.ask("save", { ...what })).message;
        return { path, size };
      },
      ops: async (stage) => (await kernel.ask("ops", { stage })).message.rows,
      inputs: async (stage) => (await kernel.ask("inputs", { stage })).message,
      explain: async (stage, op) => (await kernel.ask("explain", { stage, op })).message.card,
      preview: async (stage, node, table) =>
        part((await kernel.ask("preview", { stage, node, table })).buffers[0]),
    };
  }

  private receive({
    tree,
    at,
    dropped,
  }: Readonly<Record<"tree" | "at", unknown>> & { readonly dropped?: unknown }): void {
    const { progress } = this.state;
    const names = Array.isArray(dropped) ? dropped.map(String) : [];
    this.set({
      tree: asTree(tree),
      at: typeof at === "string" ? at : "",
      ...(names.length > 0 && { dropped: names }),
      ...(progress && { progress }),
    });
  }

  private progressed(message: ProgressMessage): void {
    const { progress: _, ...state } = this.state;
    const progress = asProgress(message);
    this.set({ ...state, ...(progress && { progress }) });
  }

  private set(state: SourceState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** Undefined if the message says that the step has ended. */
export function asProgress(message: ProgressMessage): Progress | undefined {
  const { stage, title = "", text = "", fraction, seconds = 0 } = message;
  return stage === undefined
    ? undefined
    : { stage, title, text, seconds, ...(fraction !== undefined && { fraction }) };
}
