/**
 * Whether the kernel behind a widget lives. What the application tells of it is heard at once; where it tells nothing
 * (it may show the widget without its kernel), a question that stays without an answer tells it.
 */

/** `silent`: no answer, or no connection; this may pass. `gone`: another kernel than ours, or none; this does not. */
export type KernelStatus = "alive" | "silent" | "gone";

interface Signal {
  connect(slot: (sender: unknown, value: unknown) => void): unknown;
  disconnect(slot: (sender: unknown, value: unknown) => void): unknown;
}

/** What is used of JupyterLab's `IKernelConnection`; other applications may have none of it. */
interface KernelConnection {
  readonly status?: unknown;
  readonly statusChanged?: Signal;
  readonly connectionStatusChanged?: Signal;
  readonly disposed?: Signal;
}

interface Followed {
  /** Undefined where the application does not say. */
  readonly isBusy: () => boolean | undefined;
  readonly off: () => void;
}

const ENDED = ["restarting", "autorestarting", "terminating", "dead"];
const WORKING = ["busy", "starting"];

/**
 * `tell` hears of what is certain; `doubt` is called when it is time to ask the kernel itself. A kernel that is
 * started again is another one to us: what the widget was connected to is not in it.
 */
export function followKernel(
  manager: unknown,
  tell: (life: "silent" | "gone") => void,
  doubt: () => void,
): Followed {
  const kernel = (manager as { kernel?: KernelConnection | null } | undefined)?.kernel ?? undefined;
  const status = (_: unknown, now: unknown): void => {
    if (ENDED.includes(String(now))) tell("gone");
  };
  const connection = (_: unknown, now: unknown): void => (now === "connected" ? doubt() : tell("silent"));
  const disposed = (): void => tell("gone");
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
