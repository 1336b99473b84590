/** The legend: categories with their counts, or a scale with its ends and a switch. */

import type { Legend as LegendOf, Scale } from "../overlay";
import { grouped } from "../snapshot";
import { Clip } from "../ui/clip";
import { capitalized, plural, visible } from "../ui/text";

const SCALES: readonly Scale[] = ["linear", "log", "quantile"];

interface LegendProps {
  readonly legend: LegendOf;
  /** The meaning of a sign in the picture. */
  readonly note?: string | undefined;
  readonly scale: Scale;
  readonly onScale: (scale: Scale) => void;
  /** For colour rules: the edit actions. */
  readonly rules?: RuleEdits | undefined;
}

export interface RuleEdits {
  readonly remove: (query: string) => void;
  readonly recolor: (query: string, color: string) => void;
}

export function Legend({ legend, note, scale, onScale, rules }: LegendProps) {
  return (
    <div class="exirviz-legend" role="note" aria-label={`Colors: ${visible(legend.title)}`}>
      <span class="exirviz-legend-title">{visible(legend.title)}</span>
      {legend.type === "categories" ? (
        <>
          {rules ? <Rules legend={legend} edits={rules} /> : <Swatches legend={legend} />}
          {legend.also?.type === "categories" && (
            <>
              <span class="exirviz-legend-title">{visible(legend.also.title)}</span>
              <Swatches legend={legend.also} />
            </>
          )}
        </>
      ) : (
        <>
          <span class="exirviz-legend-scale">
            <span class="exirviz-legend-ramp" style={{ background: gradient(legend.color, legend.parts) }} />
            <Ticks texts={legend.ticks} of={legend.rows?.first} />
            {legend.rows && <Ticks texts={legend.rows.ticks} of={legend.rows.second} />}
          </span>
          <fieldset class="exirviz-switch" aria-label="Scale">
            {SCALES.map((each) => (
              <button key={each} type="button" aria-pressed={each === scale} onClick={() => onScale(each)}>
                {capitalized(each)}
              </button>
            ))}
          </fieldset>
        </>
      )}
      {note && <span class="exirviz-legend-note">{note}</span>}
    </div>
  );
}

function Swatches({ legend }: { legend: Extract<LegendOf, { type: "categories" }> }) {
  return (
    <>
      {legend.swatches.map(({ title, color, count, isDashed, part }) => (
        <span key={title} class="exirviz-legend-swatch" title={`${visible(title)}: ${plural(count, "node")}`}>
          {part === undefined ? (
            <i style={{ background: color }} class={plainClass(color, isDashed)} />
          ) : (
            <i class="exirviz-tinted" style={{ background: onBox(color, part), color }} />
          )}
          <Clip text={title} />
        </span>
      ))}
    </>
  );
}

const plainClass = (color: string, isDashed = false): string | undefined =>
  color === "transparent" ? `exirviz-plain ${isDashed ? "is-dashed" : ""}` : undefined;

/** Each rule with its colour, which can be changed, its number of nodes, and a button to remove it. */
function Rules({ legend, edits }: { legend: Extract<LegendOf, { type: "categories" }>; edits: RuleEdits }) {
  return (
    <>
      {legend.swatches.map(({ title, color, count }) => (
        <span key={title} class="exirviz-legend-swatch exirviz-legend-rule">
          <input
            type="color"
            value={color.toLowerCase()}
            aria-label={`Color of ${visible(title)}`}
            title="Change color"
            onChange={(event) => edits.recolor(title, event.currentTarget.value)}
          />
          <Clip text={title} />
          <span class="exirviz-legend-note">{grouped(count)}</span>
          <button
            type="button"
            class="exirviz-quiet"
            aria-label={`Remove rule ${visible(title)}`}
            title="Remove rule"
            onClick={() => edits.remove(title)}
          >
            ×
          </button>
        </span>
      ))}
    </>
  );
}

function Ticks({ texts, of }: { texts: readonly string[]; of?: string | undefined }) {
  return (
    <span class="exirviz-legend-ticks">
      {of && <span class="exirviz-legend-of">{of}</span>}
      {texts.map((text, i) => (
        <span key={`${i} ${text}`}>{visible(text)}</span>
      ))}
    </span>
  );
}

/** A colour as on boxes: over their own. */
const onBox = (color: string, part: number): string =>
  `color-mix(in srgb, ${color} ${100 * part}%, var(--exirviz-box, var(--exirviz-ground)))`;

/** The scale as on boxes: the colour over their own with increasing opacity. */
const gradient = (color: string, [least, most]: readonly [number, number]): string =>
  `linear-gradient(90deg, ${onBox(color, least)}, ${onBox(color, most)})`;
