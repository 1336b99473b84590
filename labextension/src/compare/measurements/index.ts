/** Measurements of two programs on the boxes of their graphs. */

export { columnReadings, columnSubject } from "./column_readings";
export {
  apartness,
  measurementDot,
  measurementPaint,
  nextPaint,
  paintAs,
  paintsOf,
  RANGE,
} from "./reading_colors";
export { withReadings } from "./reading_marks";
export { Readings, readingWords } from "./readings";
