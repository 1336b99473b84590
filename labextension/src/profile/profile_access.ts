/** What panels are given of profiles and what they may ask for. */
import type { Profile } from "./profile";

export interface Measuring {
  readonly executor: "cpu" | "executorch" | "executorch.ops";
  readonly threads: number;
  /** Undefined: as many as a few seconds allow. */
  readonly repeats?: number;
}

export interface Measure {
  /** Resolves when it is done, be it stopped or failed. */
  readonly start: (options: Measuring) => Promise<void>;
  /** Of the program that would be measured. */
  readonly dialect: string;
}

export interface ProfileAccess {
  /** Of what is shown. */
  readonly profile: Profile | undefined;
  /** Why the last measuring failed. */
  readonly problem: string | undefined;
  /** Stages that have a profile, in the order of the tree; none where there are no stages. */
  readonly stages: readonly { readonly id: string; readonly name: string; readonly isShown: boolean }[];
  readonly profileOf: (stage: string) => Promise<Profile | undefined>;
  readonly go: (stage: string) => void;
  /** Why nothing can be measured here, where it cannot. */
  readonly measure: Measure | string;
  /** The name of the stage that is being measured; how far it is stands above the picture. */
  readonly measuring: string | undefined;
}

/** Where nobody hands over any. */
export const NO_COSTS: ProfileAccess = {
  profile: undefined,
  problem: undefined,
  stages: [],
  profileOf: async () => undefined,
  go: () => undefined,
  measure: "No live program to profile.",
  measuring: undefined,
};
