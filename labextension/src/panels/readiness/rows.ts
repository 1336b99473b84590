/** The order of operators by what a fix would gain: by bytes as Python wrote it, or by measured time. */
import type { Profile } from "../../profile";
import type { OpRow } from "../../snapshot";

/** Where calls need no fix: a backend runs them, or lowering removes them. */
const DONE: ReadonlySet<string> = new Set(["delegated", "removed"]);

export interface Gain {
  readonly row: OpRow;
  /** The part of the run, or of the bytes moved, that a fix can gain; undefined if not known. */
  readonly gain: number | undefined;
}

export function byGain(rows: readonly OpRow[], profile: Profile | undefined): Gain[] {
  if (!profile) return rows.map((row) => ({ row, gain: row.gain ?? undefined }));
  const timed = rows.map((row) => ({ row, gain: DONE.has(row.status) ? 0 : timeShare(profile, row.nodes) }));
  const isBlocked = ({ row }: Gain): number => Number(row.status === "blocked");
  return timed.sort((a, b) => isBlocked(b) - isBlocked(a) || (b.gain ?? 0) - (a.gain ?? 0));
}

function timeShare(profile: Profile, nodes: readonly number[]): number | undefined {
  const times = nodes.map((node) => profile.of("time", node)).filter((time) => time !== undefined);
  return times.length ? profile.share(times.reduce((sum, time) => sum + time, 0)) : undefined;
}
