/**
 * Runs a generator in slices of a few milliseconds, so that other work on the thread continues.
 *
 * Used in the worker (so that it sees newer requests) and on the main thread if workers are forbidden.
 */

export interface SliceOptions {
  /** Milliseconds of work between pauses. */
  readonly budget?: number;
  /** Called after each pause; true ends the work, and the result is undefined. */
  readonly cancelled?: () => boolean;
  readonly pause?: () => Promise<void>;
  readonly now?: () => number;
}

export async function runInSlices<T>(
  steps: Generator<void, T>,
  options: SliceOptions = {},
): Promise<T | undefined> {
  const { budget = 8, cancelled = () => false, pause = nextTask, now = () => performance.now() } = options;
  for (;;) {
    if (cancelled()) return undefined;
    const until = now() + budget;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (now() < until);
    await pause();
  }
}

/** Waits until the page is idle; if the browser cannot tell, for the next task. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 100 });
    else setTimeout(resolve);
  });

/** Waits for the next task of the event loop. A message channel is not throttled as nested timers are. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
