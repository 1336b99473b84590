/** The script of the worker: `import source from "./layout.worker?source"` gives it as text. */

import { serveLayouts, type WorkerScope } from "./server";

serveLayouts(globalThis as unknown as WorkerScope);
