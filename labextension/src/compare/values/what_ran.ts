/** What computed the values of the second program: eager torch, the runtime, or eager torch in its place. */
import type { DeviceRow, OutputRow, Ran, ValuesRecord } from "./schema";

const TEXTS: Readonly<Record<Ran, string>> = {
  runtime: "ExecuTorch runtime",
  eager: "",
  emulated: "emulated by eager torch",
  "not run": "not run; eager torch computed it",
  input: "",
};

/** The text for a row; empty for eager torch and inputs. */
export const ranText = (ran: Ran | undefined): string => TEXTS[ran ?? "eager"];

/** Whether eager torch computed a value in place of a backend or the runtime. */
const isEmulated = ({ ran }: { readonly ran?: Ran }): boolean => ran === "emulated" || ran === "not run";

/** Counts for one line: "12 in the runtime, 3 emulated"; empty if all ran in eager torch. */
export function whatRan({ devices = [], rows }: ValuesRecord): string {
  const of = devices.length ? devices : rows;
  const count = (ran: Ran): number => of.filter((row) => row.ran === ran).length;
  const counts = [
    [count("runtime"), "in the runtime"],
    [count("emulated"), "emulated by eager torch"],
    [count("not run"), "not run"],
  ] as const;
  return counts
    .filter(([many]) => many)
    .map(([many, text]) => `${many} ${text}`)
    .join(", ");
}

/** Whether an output was computed by eager torch in place of what should have run. */
export const isDoubtful = (outputs: readonly OutputRow[]): boolean => outputs.some(isEmulated);

/** Delegates and ops whose own error is too large first, then the other delegates. */
export function shownDevices(devices: readonly DeviceRow[]): readonly DeviceRow[] {
  const diverged = devices.filter(({ isolated }) => isolated?.diverged);
  const others = devices.filter((row) => row.backend && !diverged.includes(row));
  return [...diverged, ...others];
}
