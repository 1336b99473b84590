import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { workerSourceForVite } from "./scripts/worker-source.mjs";

const files = ["src", "tests"].flatMap((folder) =>
  (readdirSync(join(import.meta.dirname, folder), { recursive: true }) as string[])
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);
const kindOf = (file: string) => {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  if (/vi\.mock\(|useFakeTimers/.test(text)) return "alone";
  return text.includes("@vitest-environment") ? "document" : "plain";
};

/** Files of a kind share their modules in a thread, except those that replace modules or time. */
const project = (name: ReturnType<typeof kindOf>) => ({
  extends: true as const,
  test: { name, include: files.filter((file) => kindOf(file) === name), isolate: name === "alone" },
});

export default defineConfig({
  plugins: [workerSourceForVite],
  test: {
    projects: [project("alone"), project("document"), project("plain")],
    // A thread starts faster than a process.
    pool: "threads",
    // What never ends is stopped; how long a slow machine takes is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Nothing that a file replaced reaches the next one.
    restoreMocks: true,
    unstubGlobals: true,
  },
});
