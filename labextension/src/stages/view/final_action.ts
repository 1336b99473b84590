/** What can be done with a stage from which no step leads on, such as a program that the runtime can run. */
export interface FinalAction {
  readonly title: string;
  readonly about: string;
  /** Why it cannot be done here; empty where it can. */
  readonly reason: string;
  readonly run: () => void;
}
