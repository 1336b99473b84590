/** What analyses say of a program. */

export { reportOfOverlay, seriesOfReport } from "./overlay";
export { type ReportAccess, ReportsPanel, useReports } from "./panel";
