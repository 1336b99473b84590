/** An action for a stage without next steps, such as a program that the runtime can run. */
export interface FinalAction {
  readonly title: string;
  readonly about: string;
  /** Why it is unavailable here; empty if it is available. */
  readonly reason: string;
  readonly run: () => void;
}
