/** Measurements of one match: in a row of the list, and in full if selected. */
import type { JSX } from "preact";
import { Row, Rows } from "../../ui/section";
import { visible } from "../../ui/text";
import { apartText, cosineText, healthText, relativeText, snrText } from "../values/number_text";
import { firstWords } from "../values/value_diff";
import { ranText } from "../values/what_ran";
import { useMeasured } from "./context";
import { Change } from "./costs_tab";

/** "1.2 ms → 0.4 ms ×0.33"; else how much its values differ. */
export function Figure({ match }: { match: number }): JSX.Element | null {
  const cost = useMeasured((state) => state.costs)?.of(match);
  const row = useMeasured((state) => state.values)?.of(match);
  if (!cost && !row) return null;
  return (
    <span class="exirviz-row-figure">
      {row?.numbers.diverged && <b class="exirviz-diverged">≠ {apartText(row.numbers)} </b>}
      {cost && <Change cost={cost} />}
    </span>
  );
}

export function Figures({ match }: { match: number }): JSX.Element | null {
  const cost = useMeasured((state) => state.costs)?.of(match);
  const values = useMeasured((state) => state.values);
  const row = values?.of(match);
  const numbers = row?.numbers;
  const why = values?.why(match);
  if (!cost && !row && !why) return null;
  const health = [healthText(row?.health_a), healthText(row?.health_b)];
  return (
    <Rows>
      {cost && (
        <Row term="time">
          <Change cost={cost} />
        </Row>
      )}
      {row && numbers && (
        <>
          <Row term="values" note="Largest difference between two elements">
            <span class={numbers.diverged ? "exirviz-diverged" : ""}>
              {numbers.diverged ? "≠ " : ""}
              {apartText(numbers)}
            </span>
            {row === values?.first && <b class="exirviz-diverged"> {firstWords(row)}</b>}
            {row.origin && row !== values?.first && (
              <span class="exirviz-dim"> {row.probable ? "probably " : ""}diverges here</span>
            )}
          </Row>
          <Row term="relative" note="Largest difference ÷ largest magnitude before">
            {relativeText(numbers)}
          </Row>
          <Row term="cosine">{cosineText(numbers.cosine)}</Row>
          <Row term="SNR" note="Signal-to-noise ratio">
            {snrText(numbers)}
          </Row>
          {(health[0] || health[1]) && (
            <Row term="not finite">
              {health[0] || "none"} → {health[1] || "none"}
            </Row>
          )}
          {row.scaled && <Row term="scaled">integers, dequantized with the graph's scale</Row>}
          {ranText(row.ran) && <Row term="what ran">{ranText(row.ran)}</Row>}
        </>
      )}
      {!row && why && <Row term="values">not compared: {visible(why)}</Row>}
    </Rows>
  );
}
