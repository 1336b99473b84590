/** The profile props and actions of panels. */
import type { Profile } from "./profile";

export interface Measuring {
  readonly executor: "cpu" | "executorch";
  readonly threads: number;
  /** Undefined: as many as fit into a few seconds. */
  readonly repeats?: number;
}

export interface Measure {
  /** Resolves at the end, also if stopped or failed. */
  readonly start: (options: Measuring) => Promise<void>;
  /** The dialect of the program to be measured. */
  readonly dialect: string;
}

/** `node` is the id of the node that the text names; "" if it names none. */
export interface MeasureProblem {
  readonly text: string;
  readonly node: string;
}

export interface ProfileAccess {
  /** The profile of the program that is shown. */
  readonly profile: Profile | undefined;
  /** Why the last profiling failed. */
  readonly problem: MeasureProblem | undefined;
  /** Stages with a profile, in the order of the tree; none if there are no stages. */
  readonly stages: readonly { readonly id: string; readonly name: string; readonly isShown: boolean }[];
  readonly profileOf: (stage: string) => Promise<Profile | undefined>;
  readonly go: (stage: string) => void;
  /** Why nothing can be measured here, if so. */
  readonly measure: Measure | string;
  /** The name of the stage that is being measured; its progress is shown above the picture. */
  readonly measuring: string | undefined;
}

/** The default without any profiles. */
export const NO_COSTS: ProfileAccess = {
  profile: undefined,
  problem: undefined,
  stages: [],
  profileOf: async () => undefined,
  go: () => undefined,
  measure: "No live program to profile.",
  measuring: undefined,
};
