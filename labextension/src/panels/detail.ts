/** The detail of a Snapshot, loaded when a panel first needs it. */
import { useEffect, useState } from "preact/hooks";
import type { Snapshot } from "../snapshot";
import type { DetailState } from "../ui/actions";

export function useDetail(snapshot: Snapshot): DetailState {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<DetailState & { of?: Snapshot }>({ state: "busy" });
  // Ask again on a new attempt.
  useEffect(() => {
    let isWanted = true;
    const set = (next: DetailState): void => {
      if (isWanted) setState({ ...next, of: snapshot });
    };
    set({ state: "busy" });
    snapshot.detail().then(
      (detail) => set({ state: "ready", detail }),
      (problem: unknown) =>
        set({
          state: "failed",
          problem: problem instanceof Error ? problem.message : String(problem),
          retry: () => setAttempt((count) => count + 1),
        }),
    );
    return () => {
      isWanted = false;
    };
  }, [snapshot, attempt]);
  const now = snapshot.detailNow;
  if (now) return { state: "ready", detail: now };
  return state.of === snapshot ? state : { state: "busy" };
}
