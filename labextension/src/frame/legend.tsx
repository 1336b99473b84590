/** What the colours mean: always one thing, and always said. */
import type { JSX } from "preact";
import type { Legend as LegendOf } from "../overlay";
import { useExplorer, usePart } from "./context";

const SCALES = ["linear", "log", "quantile"] as const;

export function Legend({ legend }: { legend: LegendOf }): JSX.Element {
  const explorer = useExplorer();
  const overlay = usePart((state) => state.overlay);
  if (legend.type === "categories") {
    return (
      <div class="exirviz-legend" role="note" aria-label={`Colours: ${legend.title}`}>
        <span class="exirviz-dim">{legend.title}</span>
        {legend.swatches.map((swatch) => (
          <span key={swatch.title} title={`${swatch.count.toLocaleString("en-US")} nodes`}>
            <i style={{ background: swatch.color }} />
            {swatch.title}
          </span>
        ))}
      </div>
    );
  }
  return (
    <div class="exirviz-legend" role="note" aria-label={`Colours: ${legend.title}`}>
      <span class="exirviz-dim">{legend.title}</span>
      <span
        class="exirviz-ramp"
        style={{ background: `linear-gradient(90deg, transparent, ${legend.color})` }}
      />
      <span>
        {legend.low} – {legend.high}
      </span>
      <select
        aria-label="Scale"
        value={overlay.scale}
        onChange={(event) => {
          const scale = SCALES.find((each) => each === event.currentTarget.value) ?? "linear";
          explorer.store.set({ overlay: { ...overlay, scale } });
        }}
      >
        {SCALES.map((scale) => (
          <option key={scale}>{scale}</option>
        ))}
      </select>
    </div>
  );
}
