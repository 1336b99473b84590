/**
 * The other end of the widget's messages. Every question is answered to the view that asked it: one widget may be
 * shown several times. A kernel that does not answer is said to be gone.
 */
import type { AnyModel } from "@anywidget/types";
import type { Series } from "../overlay";
import type { Snapshot } from "../snapshot";
import type { Order } from "./orders";
import type { WidgetState } from "./widget";

/** Milliseconds; a busy kernel answers when its cell has run. */
const PATIENCE = 20_000;

type What = "skeleton" | "detail";
type Message = { readonly kind?: unknown; readonly to?: unknown; readonly series?: unknown };

let views = 0;

export class Kernel {
  /** Numbers to paint, once the Snapshot is there to name their nodes by. */
  onSeries: (read: (snapshot: Snapshot) => Series[]) => void = (read) => {
    this.early = read;
  };
  onOrder: (order: Order) => void = () => undefined;
  private early: ((snapshot: Snapshot) => Series[]) | undefined;
  private readonly name = `view-${++views}-${Math.random().toString(36).slice(2)}`;
  private readonly waiting = new Map<What, (bytes: Uint8Array) => void>();
  private readonly timers = new Set<number>();
  /** A detail that came along with the skeleton, to be read before the first picture. */
  detail: Uint8Array | undefined;

  constructor(private readonly model: AnyModel<WidgetState>) {
    model.on("msg:custom", this.receive);
  }

  ask(what: What): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const timer = Number(
        setTimeout(() => {
          this.timers.delete(timer);
          this.waiting.delete(what);
          reject(new Error("The kernel does not answer: run the cell again to bring this part back."));
        }, PATIENCE),
      );
      this.timers.add(timer);
      this.waiting.set(what, (bytes) => {
        clearTimeout(timer);
        this.timers.delete(timer);
        this.waiting.delete(what);
        resolve(bytes);
      });
      this.model.send({ kind: "ask", what, from: this.name });
    });
  }

  /** What came before anyone could take it. */
  takeEarly(): void {
    if (this.early) this.onSeries(this.early);
    this.early = undefined;
  }

  dispose(): void {
    this.model.off("msg:custom", this.receive);
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.waiting.clear();
  }

  private readonly receive = (raw: unknown, buffers: DataView[]): void => {
    const message = (typeof raw === "object" && raw !== null ? raw : {}) as Message;
    if (typeof message.to === "string" && message.to !== this.name) return;
    const { kind } = message;
    if (kind === "skeleton" || kind === "detail") {
      const [data, along] = buffers;
      if (kind === "skeleton" && along) this.detail = bytesOf(along);
      if (data) this.waiting.get(kind)?.(bytesOf(data));
    } else if (kind === "series") this.onSeries((snapshot) => seriesOf(message.series, buffers, snapshot));
    else if (kind === "do") this.onOrder(raw as Order);
  };
}

const bytesOf = (data: DataView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function seriesOf(heads: unknown, buffers: readonly DataView[], snapshot: Snapshot): Series[] {
  if (!Array.isArray(heads)) return [];
  return heads.flatMap((head: unknown, i) => {
    const { label, unit, nodes } = head as { label?: unknown; unit?: unknown; nodes?: unknown };
    const data = buffers[i];
    if (typeof label !== "string" || !Array.isArray(nodes) || !data) return [];
    const values = new Map<number, number>();
    nodes.forEach((id: unknown, at) => {
      const node = snapshot.find(String(id));
      if (node !== undefined && 8 * at + 8 <= data.byteLength)
        values.set(node, data.getFloat64(8 * at, true));
    });
    return [{ label, values, ...(typeof unit === "string" && unit && { unit }) }];
  });
}
