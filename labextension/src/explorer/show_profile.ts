/** Showing a profile: when Python asks for it, and when a measurement that this page started is over. */
import { FIRST_MEASURE, MEASURES } from "../profile";
import { visible } from "../ui/text";
import type { Explorer } from "./explorer";

/** Shows its stage, colours the boxes by time, and opens the panel's tab. */
export async function showProfile(explorer: Explorer, stage: string): Promise<void> {
  const { stepping } = explorer;
  if (stepping && !stepping.stages.record(stage)) return; // deleted meanwhile
  if (stepping && stepping.shownId() !== stage) await stepping.go(stage);
  const { overlay } = explorer.state;
  const isPainted = MEASURES.some(({ name }) => name === overlay.name);
  explorer.store.set({
    tab: "cost",
    ...(!isPainted && { overlay: { ...overlay, name: FIRST_MEASURE } }),
  });
}

/** After a measurement: shows the profile if its stage is still shown; else only says that it is there. */
export async function showMeasured(explorer: Explorer, stage: string, didFail = false): Promise<void> {
  const { stepping, costs } = explorer;
  const name = stepping?.stages.record(stage)?.name;
  if (name === undefined || stepping?.shownId() === stage) {
    if (costs.store.state.records.has(stage)) await showProfile(explorer, stage);
    return;
  }
  const text = didFail ? `Profiling ${name} failed: its tab Cost says why` : `Profile of ${name} is ready`;
  explorer.store.set({ notice: visible(text) });
}
