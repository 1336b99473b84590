/** The analysis of a Snapshot, loaded when a panel first needs it. */
import { useEffect, useState } from "preact/hooks";
import type { Analysis, Snapshot } from "../snapshot";

/** Undefined while it is loaded, and if it cannot be loaded: panels then do without. */
export function useAnalysis(snapshot: Snapshot): Analysis | undefined {
  const [known, set] = useState<{ of: Snapshot; analysis: Analysis }>();
  useEffect(() => {
    let isWanted = true;
    snapshot.analysis().then(
      (analysis) => isWanted && set({ of: snapshot, analysis }),
      () => isWanted && set({ of: snapshot, analysis: {} }), // no kernel any more, as the page says elsewhere
    );
    return () => {
      isWanted = false;
    };
  }, [snapshot]);
  return known?.of === snapshot ? known.analysis : undefined;
}
