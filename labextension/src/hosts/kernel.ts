/**
 * The page's end of the widget's messages, whose types are those of `exir_viz/widget/messages.py`. Every
 * question is answered to the view that asked it, because a widget may have several views. Detects a kernel
 * that is disconnected or does not answer.
 */
import type { AnyModel } from "@anywidget/types";
import { Refusal } from "../stages/source";
import { type Incoming, type MessageOf, problemOf } from "./incoming";
import { followKernel, type KernelStatus } from "./kernel_status";
import type { Question } from "./messages";
import type { WidgetState } from "./widget";

/** Milliseconds to wait for an idle kernel; a busy one answers when its cell has run. */
const ANSWER_TIMEOUT = 20_000;
/** Milliseconds to wait for a sign of life, and for which an answer counts as one. */
const ALIVE_FOR = 5_000;

export const DISCONNECTED = "Kernel disconnected. Run the cell again.";

type What = Question["what"];
type QuestionOf<W extends What> = Extract<Question, { readonly what: W }>;
/** Fields of a question without its kind and its view. */
type Fields<W extends What> = Omit<QuestionOf<W>, "kind" | "what" | "from" | "n">;
/** Questions without a time limit: their answers may take long; the list of reports is not urgent. */
const LONG: ReadonlySet<What> = new Set([
  "run",
  "profile",
  "values",
  "bisect",
  "reproducer",
  "report",
  "reports",
]);
/** Messages that are not answers. Anything else is an answer, and is ignored if it comes too late. */
const NOT_ANSWERS: ReadonlySet<string> = new Set(["series", "profiles", "do", "stages", "progress"]);

type Handler<K extends Incoming["kind"]> = (message: MessageOf<K>, buffers: readonly DataView[]) => void;
type AnyHandler = (message: Incoming, buffers: readonly DataView[]) => void;

interface Answer<W extends What = What> {
  readonly message: MessageOf<W>;
  readonly buffers: readonly DataView[];
}

interface Waiting {
  readonly what: What;
  readonly promise: Promise<Answer>;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (problem: Error) => void;
}

/** `receive` lets only answers of the right kind through. */
const answerOf = <W extends What>({ promise }: Waiting): Promise<Answer<W>> =>
  promise as Promise<unknown> as Promise<Answer<W>>;

function newWaiting(what: What): Waiting {
  let resolve: Waiting["resolve"] = () => undefined;
  let reject: Waiting["reject"] = () => undefined;
  const promise = new Promise<Answer>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { what, promise, resolve, reject };
}

let views = 0;

export class Kernel {
  /** Called on every change. */
  onStatus: (life: KernelStatus) => void = () => undefined;
  private now: KernelStatus = "alive";
  /** When the last message arrived. */
  private lastMessage = 0;
  private readonly name = `view-${++views}-${Math.random().toString(36).slice(2)}`;
  /** By the kind of the question, or by its number. */
  private readonly waiting = new Map<string, Waiting>();
  private lastRequest = 0;
  private readonly handlers = new Map<string, AnyHandler>();
  /** Messages that arrived before their handler. */
  private readonly early = new Map<string, Parameters<AnyHandler>[]>();
  private readonly timers = new Set<number>();
  private readonly life: ReturnType<typeof followKernel>;

  constructor(private readonly model: AnyModel<WidgetState>) {
    const manager = (model as { widget_manager?: unknown }).widget_manager;
    this.life = followKernel(manager, this.turned, this.askIfAlive);
    model.on("msg:custom", this.receive);
    // ipywidgets reports that its connection was lost.
    model.on("comm_live_update" as "msg:custom", this.askIfAlive);
  }

  get state(): KernelStatus {
    return this.now;
  }

  /** An open question without fields is not sent twice. Rejects with the reason of a refusal. */
  ask<W extends What>(what: W, fields?: Fields<W>): Promise<Answer<W>> {
    if (this.now === "disconnected") return Promise.reject(new Error(DISCONNECTED));
    const open = fields ? undefined : this.waiting.get(what);
    if (open) return answerOf<W>(open);
    const n = fields ? ++this.lastRequest : undefined;
    const key = n === undefined ? what : `#${n}`;
    const waiting = newWaiting(what);
    this.waiting.set(key, waiting);
    try {
      this.model.send({ ...fields, kind: "ask", what, from: this.name, ...(n !== undefined && { n }) });
    } catch {
      this.turned("disconnected"); // its connection was closed
      return answerOf<W>(waiting);
    }
    if (!LONG.has(what)) this.wait(key, what === "life" ? ALIVE_FOR : ANSWER_TIMEOUT, what === "skeleton");
    return answerOf<W>(waiting);
  }

  /** Sets the handler for a kind; earlier messages are handled at once. */
  on<K extends Incoming["kind"]>(kind: K, handler: Handler<K>): void {
    this.handlers.set(kind, handler as AnyHandler);
    for (const [message, buffers] of this.early.get(kind) ?? []) handler(message as MessageOf<K>, buffers);
    this.early.delete(kind);
  }

  /** Asks the kernel for a sign of life if the application does not report its status. */
  readonly askIfAlive = (): void => {
    if (this.now !== "disconnected") this.ask("life").catch(() => undefined);
  };

  /** Call after a user action: not every application reports that its kernel is lost. */
  acted(): void {
    if (!this.life.isBusy() && Date.now() - this.lastMessage > ALIVE_FOR) this.askIfAlive();
  }

  dispose(): void {
    this.life.off();
    this.model.off("msg:custom", this.receive);
    this.model.off("comm_live_update" as "msg:custom", this.askIfAlive);
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.waiting.clear();
    this.early.clear();
  }

  /** The silence of a busy kernel means nothing. */
  private wait(key: string, milliseconds: number, isVital: boolean): void {
    const timer = Number(
      setTimeout(() => {
        this.timers.delete(timer);
        const waiting = this.waiting.get(key);
        if (!waiting) return;
        if (!this.life.isBusy()) this.turned("silent");
        // Without the program there is nothing to show: wait without a limit.
        if (this.life.isBusy() || isVital) return this.wait(key, milliseconds, isVital);
        this.waiting.delete(key);
        waiting.reject(new Error("Kernel not responding. Run the cell again."));
      }, milliseconds),
    );
    this.timers.add(timer);
  }

  private readonly turned = (life: KernelStatus): void => {
    if (this.now === life || this.now === "disconnected") return;
    this.now = life;
    if (life === "disconnected") {
      for (const { reject } of this.waiting.values()) reject(new Error(DISCONNECTED));
      this.waiting.clear();
    }
    this.onStatus(life);
  };

  private readonly receive = (raw: unknown, buffers: readonly DataView[]): void => {
    const sent = (typeof raw === "object" && raw !== null ? raw : {}) as Readonly<Record<string, unknown>>;
    const { kind, to, n } = sent;
    if (typeof kind !== "string" || (typeof to === "string" && to !== this.name)) return;
    this.lastMessage = Date.now();
    this.turned("alive");
    const key = typeof n === "number" ? `#${n}` : kind;
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    const isAnswer = !waiting || kind === waiting.what || kind === "refused";
    const problem = isAnswer ? problemOf(sent) : `it answers a question for "${waiting.what}"`;
    if (problem) {
      const error = new Error(`The kernel's message "${kind}" cannot be read: ${problem}.`);
      if (!waiting) throw error;
      waiting.reject(error);
      return;
    }
    const message = sent as unknown as Incoming;
    const handler = this.handlers.get(kind);
    if (waiting && message.kind === "refused")
      waiting.reject(new Refusal(message.reason, message.node ?? ""));
    else if (waiting) waiting.resolve({ message: message as MessageOf<What>, buffers });
    else if (handler) handler(message, buffers);
    else if (NOT_ANSWERS.has(kind))
      this.early.set(kind, [...(this.early.get(kind) ?? []), [message, buffers]]);
  };
}

export const bytesOf = (data: DataView): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** A buffer that must be present. */
export function part(data: DataView | undefined): Uint8Array {
  if (!data) throw new Error("The kernel sent no program.");
  return bytesOf(data);
}
