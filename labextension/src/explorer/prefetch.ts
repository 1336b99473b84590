/** Prepares what the next step is likely to show, while the page is idle. */
import type { Explorer } from "./explorer";
import { sameGraph } from "./show_view";

/** Milliseconds between two pieces of work. */
const PAUSE = 20;

/** Reads the neighbouring stages, builds their pictures and lays them out as a step would. */
export async function warmNeighbours(explorer: Explorer, isOver: () => boolean): Promise<void> {
  const { stage, picture } = explorer.state;
  const stages = explorer.stepping?.stages;
  const here = stages?.record(stage);
  if (!stages || !here || here.state === "failed") return;
  const neighbours = stages.tree.stages.filter(({ id, parent }) => parent === stage || id === here.parent);
  for (const { id, state } of neighbours) {
    if (state === "failed") continue;
    // A step to an unreadable stage reports the error.
    const snapshot = await stages.snapshot(id).catch(() => undefined);
    await pause();
    if (!snapshot || isOver()) return;
    await explorer.ready(explorer.pictureOf(sameGraph(explorer, snapshot), picture.form, snapshot));
    await stages.mapping(stage, id).catch(() => undefined);
    await pause();
    if (isOver()) return;
    await explorer.stepping?.rehearse(id, isOver).catch(() => undefined);
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, PAUSE));
