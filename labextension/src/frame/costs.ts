/** Profiles for the frame and its panels: hooks that follow them, and actions. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Explorer, showMeasured } from "../explorer";
import type { CostState, Measuring, Profile, ProfileAccess } from "../profile";
import { whyNotLive } from "../stages";
import { isMeasuring, type Progress, Refusal } from "../stages/source";
import { useExplorer, usePart } from "./context";
import { useSource } from "./stages";

/** Rerenders when a profile arrives. */
export function useCosts(): CostState {
  const { store } = useExplorer().costs;
  const [state, setState] = useState(store.state);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(setState);
  }, [store]);
  return state;
}

/** The profile of the program that is shown. */
export function useProfile(): Profile | undefined {
  const explorer = useExplorer();
  useCosts();
  usePart((state) => state.picture);
  usePart((state) => state.stage);
  usePart((state) => state.sizes);
  return explorer.profile();
}

/** The profile props of the panels. */
export function useCostAccess(): ProfileAccess {
  const explorer = useExplorer();
  const { records, problem } = useCosts();
  const profile = useProfile();
  const source = useSource(explorer.stepping);
  const stage = usePart((state) => state.stage);
  return useMemo(
    () => ({
      profile,
      problem: problem?.stage === explorer.stepping?.shownId() ? problem : undefined,
      stages: stagesOf(explorer, [...records.keys()]),
      profileOf: (id) => profileOf(explorer, id),
      go: (id) => void explorer.stepping?.go(id),
      measure: measureOf(explorer),
      measuring: measuredNow(explorer, source?.progress),
    }),
    [explorer, records, problem, profile, source, stage],
  );
}

function measuredNow({ stepping }: Explorer, progress: Progress | undefined): string | undefined {
  if (!progress || !isMeasuring(progress)) return undefined;
  return stepping?.stages.record(progress.stage)?.name ?? "This program";
}

/** Stages with a profile, in the order of the tree. */
function stagesOf({ stepping }: Explorer, ids: readonly string[]): ProfileAccess["stages"] {
  if (!stepping) return [];
  const shown = stepping.shownId();
  return stepping.stages.tree.stages
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name }) => ({ id, name, isShown: id === shown }));
}

async function profileOf({ costs, stepping }: Explorer, id: string): Promise<Profile | undefined> {
  return stepping && costs.of(id, await stepping.stages.snapshot(id));
}

const NO_PROGRAM = "This graph has no live program. In Python: explorer.show(exir_viz.profile(program)).";

/** Exported for tests. */
export function measureOf(explorer: Explorer): ProfileAccess["measure"] {
  const { stepping, costs } = explorer;
  if (!stepping) return explorer.howToMeasure || NO_PROGRAM;
  const { actions } = stepping.stages.source;
  if (typeof actions === "string") return actions;
  const id = stepping.shownId();
  const record = stepping.stages.record(id);
  const why = record && whyNotLive(record);
  if (why) return `${why}. To measure it, use exir_viz.Session(program).`;
  const dialect = record?.dialect ?? "";
  const start = async (options: Measuring): Promise<void> => {
    costs.store.set({ problem: undefined });
    try {
      await actions.profile(id, { ...options });
    } catch (problem) {
      const text = problem instanceof Error ? problem.message : String(problem);
      const node = problem instanceof Refusal ? problem.node : "";
      costs.store.set({ problem: { stage: id, text, node } });
      await showMeasured(explorer, id, true);
      return;
    }
    await showMeasured(explorer, id);
  };
  return { start, dialect };
}
