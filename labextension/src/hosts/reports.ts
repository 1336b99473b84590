/** The reports that a kernel makes when they are asked for. */
import type { ReportSource } from "../snapshot";
import { unpack } from "../snapshot/container";
import { type Kernel, part } from "./kernel";

/** `stage`: of a session. */
export const kernelReports = (kernel: Kernel, stage = ""): ReportSource => ({
  list: async () => (await kernel.ask("reports")).message.reports,
  report: async (name) => unpack(part((await kernel.ask("report", { name, stage })).buffers[0])),
});
