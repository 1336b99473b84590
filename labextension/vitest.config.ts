import { defineConfig } from "vitest/config";
import { workerSourceForVite } from "./scripts/worker-source.mjs";

export default defineConfig({
  plugins: [workerSourceForVite],
  test: {
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
  },
});
