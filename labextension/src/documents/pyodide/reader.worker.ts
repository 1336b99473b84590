/** The worker's whole script: `import source from "./reader.worker?source"` gives it as text. */
import { serveReader } from "./reader";

serveReader(globalThis as unknown as Parameters<typeof serveReader>[0]);
