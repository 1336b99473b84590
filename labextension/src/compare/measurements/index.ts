/** Measurements of two programs on the boxes of their graphs. */

export { nextPaint, paintAs, paintsOf } from "./color_modes";
export { apartness, RANGE } from "./color_scale";
export { columnReadings } from "./column_readings";
export { columnSubject, superimposedSubject } from "./pictures";
export { measurementDot, measurementPaint } from "./reading_colors";
export { withReadings } from "./reading_marks";
export { readingWords } from "./reading_text";
export { type Reading, Readings } from "./readings";
