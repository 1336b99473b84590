/**
 * What was measured of two compared programs. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

import type { CostChange } from "../costs/schema";
import type { ValuesRecord } from "../values/schema";

/** Each is absent if it was not measured. */
export interface Measured {
  readonly values?: ValuesRecord;
  readonly costs?: CostChange;
}
