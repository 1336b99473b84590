/** What analyses say of a program. */

export { NodeFindings, RULES_REPORT, type RuleFinding, ruleFindings } from "./findings";
export { reportOfOverlay, seriesOfReport } from "./overlay";
export { type ReportAccess, ReportsPanel, useReports } from "./panel";
export { reportsOf } from "./reports";
export type { WhatIf } from "./sizes";
