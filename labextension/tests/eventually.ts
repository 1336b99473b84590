/** Waits until a check passes; how long a slow machine takes is no failure. */

import { vi } from "vitest";

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000 });
