/** The last state of the timeline, for the next explorer in this browser. */

const KEY = "exir_viz.timeline";

interface Remembered {
  readonly isTimelineOpen?: boolean;
  readonly timelineHeight?: number;
}

/** Empty if nothing is stored, or storage is forbidden. */
export function storedTimeline(window: Window | null): Remembered {
  try {
    const kept: unknown = JSON.parse(window?.localStorage.getItem(KEY) ?? "{}");
    const { open, height } = kept as { open?: unknown; height?: unknown };
    return {
      ...(typeof open === "boolean" && { isTimelineOpen: open }),
      ...(typeof height === "number" && Number.isFinite(height) && { timelineHeight: height }),
    };
  } catch {
    return {}; // a frame without an origin has no storage; another page may have stored something else
  }
}

export function remember(window: Window | null, open: boolean, height: number): void {
  try {
    window?.localStorage.setItem(KEY, JSON.stringify({ open, height }));
  } catch {
    // a frame without an origin has no storage: the state is lost with this explorer
  }
}
