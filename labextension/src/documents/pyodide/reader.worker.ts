/** The script of the worker: `import source from "./reader.worker?source"` gives it as text. */
import { serveReader } from "./reader";

serveReader(globalThis as unknown as Parameters<typeof serveReader>[0]);
