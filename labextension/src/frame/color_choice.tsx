/** What the boxes are coloured by. */
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { BUILT_IN, RULES, type Series, WITH_DETAIL } from "../overlay";
import { MEASURES } from "../profile";
import { reportOfOverlay, seriesOfReport, useReports } from "../reports";
import { visible } from "../ui/text";
import { useDetailNow, useExplorer, usePart } from "./context";
import { useCosts, useProfile } from "./costs";

/** `painted`: what Python painted. Also what the reports that are here offer; the report that is chosen is loaded. */
export function useSeries(painted: readonly Series[]): readonly Series[] {
  const { snapshot } = useExplorer();
  const chosen = usePart((state) => reportOfOverlay(state.overlay.name));
  const reports = useReports(snapshot);
  useEffect(() => {
    if (chosen !== undefined) void reports?.load(chosen);
  }, [reports, chosen]);
  const loaded = reports?.loaded;
  return useMemo(
    () => [...painted, ...(loaded ?? []).flatMap((report) => seriesOfReport(report) ?? [])],
    [painted, loaded],
  );
}

export function ColorChoice({ series }: { series: readonly Series[] }): JSX.Element {
  const explorer = useExplorer();
  const overlay = usePart((state) => state.overlay);
  const detail = useDetailNow();
  const isMeasured = useProfile() !== undefined;
  const hasCosts = useCosts().records.size > 0 || overlay.name.startsWith("cost:");
  const hasRules = usePart((state) => state.rules.length > 0);
  const names = [...BUILT_IN, ...(detail ? WITH_DETAIL : []), ...(hasRules ? [RULES] : [])];
  return (
    <label class="exirviz-button exirviz-color" title="Color boxes by">
      Color:
      <select
        aria-label="Color"
        value={overlay.name}
        onChange={(event) => explorer.store.set({ overlay: { ...overlay, name: event.currentTarget.value } })}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {useSeries(series).map(({ label, title = label }) => (
          <option key={label} value={label}>
            {visible(title)}
          </option>
        ))}
        {hasCosts && (
          <optgroup label={isMeasured ? "profile" : "profile: not measured at this stage"}>
            {MEASURES.map(({ name, title }) => (
              <option key={name} value={name}>
                {isMeasured ? title : `${title} (profile first)`}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}
