/**
 * The status of the kernel behind a widget. It is taken from the application if that reports it; otherwise
 * (an application may show the widget without its kernel) an unanswered question shows it.
 */

/** `silent`: no answer, or no connection; may pass. `disconnected`: another kernel than ours, or none; final. */
export type KernelStatus = "alive" | "silent" | "disconnected";

interface Signal {
  connect(slot: (sender: unknown, value: unknown) => void): unknown;
  disconnect(slot: (sender: unknown, value: unknown) => void): unknown;
}

/** The part of JupyterLab's `IKernelConnection` that is used; other applications may lack it. */
interface KernelConnection {
  readonly status?: unknown;
  readonly statusChanged?: Signal;
  readonly connectionStatusChanged?: Signal;
  readonly disposed?: Signal;
}

interface Followed {
  /** Undefined if the application does not report it. */
  readonly isBusy: () => boolean | undefined;
  readonly off: () => void;
}

const ENDED = ["restarting", "autorestarting", "terminating", "dead"];
const WORKING = ["busy", "starting"];

/**
 * `tell` is called with a certain status, `askIfAlive` when the kernel should be asked. A restarted kernel is
 * another one to us: the widget's objects are not in it.
 */
export function followKernel(
  manager: unknown,
  report: (life: "silent" | "disconnected") => void,
  askIfAlive: () => void,
): Followed {
  const kernel = (manager as { kernel?: KernelConnection | null } | undefined)?.kernel ?? undefined;
  const status = (_: unknown, now: unknown): void => {
    if (ENDED.includes(String(now))) report("disconnected");
  };
  const connection = (_: unknown, now: unknown): void =>
    now === "connected" ? askIfAlive() : report("silent");
  const disposed = (): void => report("disconnected");
  kernel?.statusChanged?.connect(status);
  kernel?.connectionStatusChanged?.connect(connection);
  kernel?.disposed?.connect(disposed);
  return {
    isBusy: () => (kernel?.statusChanged ? WORKING.includes(String(kernel.status)) : undefined),
    off: () => {
      kernel?.statusChanged?.disconnect(status);
      kernel?.connectionStatusChanged?.disconnect(connection);
      kernel?.disposed?.disconnect(disposed);
    },
  };
}
