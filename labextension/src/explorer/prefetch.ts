/** What the next step is likely to lead to, made ready while nothing is done. */
import type { Explorer } from "./explorer";
import { sameGraph } from "./show_view";

/** Milliseconds between one piece of work and the next. */
const PAUSE = 20;

/** Reads the stages beside the one that is shown, draws up their pictures and lays them out as a step would. */
export async function warmNeighbours(explorer: Explorer, isOver: () => boolean): Promise<void> {
  const { stage, picture } = explorer.state;
  const stages = explorer.stepping?.stages;
  const here = stages?.record(stage);
  if (!stages || !here || here.state === "failed") return;
  const beside = stages.tree.stages.filter(({ id, parent }) => parent === stage || id === here.parent);
  for (const { id, state } of beside) {
    if (state === "failed") continue;
    // What cannot be read is told by the step to it.
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
