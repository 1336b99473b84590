import { defineConfig } from "vitest/config";
import { workerSourceForVite } from "./scripts/worker-source.mjs";

export default defineConfig({
  plugins: [workerSourceForVite],
  test: {
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
    // A thread starts faster than a process.
    pool: "threads",
    // What never ends is stopped; how long a slow machine takes is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
