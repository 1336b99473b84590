/** What was measured of two programs, on the boxes of their pictures. */

export { columnReadings } from "./column";
export { withReadings } from "./marks";
export { gaugeDot, gaugePaint } from "./paint";
export { nextPaint, paintAs, paintsOf } from "./paints";
export { type Reading, Readings, type Subject } from "./readings";
export { apartness, RANGE } from "./scale";
export { columnSubject, overlaySubject } from "./subjects";
export { readingWords } from "./words";
