/** The same modules at several stages, side by side: milliseconds, and the ratio to the first. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { NONE, ratioText, timeText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link, ModuleLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { visible } from "../../ui/text";
import { ownerOf } from "../module_places";
import type { Profile } from "../profile";
import type { ProfileAccess } from "../profile_access";
import { BASIS_TEXT, basisText } from "../profile_text";
import { moduleText, rollup } from "../rollup";
import { across, type Cell, differences, type Line, wholes } from "../stage_comparison";

export function StageTable({ costs, snapshot, actions }: Here & { costs: ProfileAccess }) {
  const profiles = useProfiles(costs);
  const title = costs.stages.length > 1 ? "Compare stages" : "Profile of another stage";
  if (!profiles) {
    return (
      <Section title={title}>
        <p class="exirviz-dim" role="status">
          Reading the other stages…
        </p>
      </Section>
    );
  }
  const shown = costs.stages.findIndex(({ isShown }) => isShown);
  const scopes = scopesOf(profiles[shown]);
  const notes = notesOf(profiles, costs.stages);
  const lines = across(profiles);
  const mixed = [...new Set(lines.flatMap(({ cells }) => cells.flatMap((cell) => cell?.mixed || [])))];
  const row = (line: Line) => {
    const to = scopes.get(line.key);
    return (
      <tr key={line.key}>
        <th scope="row">
          {to ? (
            <ModuleLink
              snapshot={snapshot}
              scope={to.scope}
              onGo={() => actions.revealModule(ownerOf(to.profile, to.scope), to.scope)}
            >
              <Clip text={line.key} />
            </ModuleLink>
          ) : (
            <Clip text={moduleText(line.key)} class="exirviz-dim" />
          )}
        </th>
        {line.cells.map((cell, i) => (
          <td key={costs.stages[i]?.id}>
            <StageCell cell={cell} notes={mixed} />
          </td>
        ))}
      </tr>
    );
  };
  return (
    <Section title={title}>
      <Wide at={costs.stages[shown]?.id}>
        <table class="exirviz-stage-costs" style={{ "--exirviz-stages": costs.stages.length }}>
          <thead>
            <tr>
              <th scope="col">
                <span>module, incl. submodules</span>
              </th>
              {costs.stages.map(({ id, name, isShown }) => (
                <th key={id} scope="col" aria-current={isShown}>
                  <Link onClick={() => costs.go(id)}>
                    <Clip text={name} />
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {row(wholes(profiles))}
            <More items={lines} first={12} of="modules" each={row} />
          </tbody>
        </table>
      </Wide>
      {mixed.length > 0 && (
        <ol class="exirviz-stage-costs-mixed">
          <More items={mixed} first={4} of="notes" each={(text) => <li key={text}>{visible(text)}</li>} />
        </ol>
      )}
      {notes.map((text) => (
        <p key={text} class="exirviz-profile-remark">
          {visible(text)}
        </p>
      ))}
    </Section>
  );
}

/**
 * Conditions that make stages hard to compare with the first; with the stage's name if there are more than
 * two.
 */
function notesOf(profiles: readonly Profile[], stages: ProfileAccess["stages"]): readonly string[] {
  const [first, ...others] = profiles;
  if (!first) return [];
  const found = new Map<string, string[]>();
  others.forEach(({ conditions }, i) => {
    for (const text of differences(first.conditions, conditions)) {
      found.set(text, [...(found.get(text) ?? []), stages[i + 1]?.name ?? ""]);
    }
  });
  const name = stages[0]?.name ?? "";
  return Array.from(found, ([text, whose]) =>
    others.length > 1 ? `${name} vs. ${whose.join(", ")}: ${text}` : text,
  );
}

/** Scrolls if there are too many stages; the one that is shown is scrolled into view. */
function Wide({ at, children }: { at: string | undefined; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const head = box.current?.querySelector<HTMLElement>('th[aria-current="true"]');
    if (!box.current || !head) return;
    const { scrollLeft: from, clientWidth: room } = box.current;
    const { offsetLeft: left, offsetWidth: width } = head;
    box.current.scrollLeft = Math.min(left, Math.max(from, left + width - room));
  }, [at]);
  return (
    <div class="exirviz-stage-costs-scroll" ref={box}>
      {children}
    </div>
  );
}

/** The profiles of all stages that have one, loaded one after the other; undefined until all are loaded. */
function useProfiles({ stages, profileOf }: ProfileAccess): readonly Profile[] | undefined {
  const [profiles, setProfiles] = useState<readonly Profile[]>();
  const ids = stages.map(({ id }) => id).join(" ");
  useEffect(() => {
    let isWanted = true;
    Promise.all(stages.map(({ id }) => profileOf(id))).then(
      (all) => isWanted && setProfiles(all.filter((each) => each !== undefined)),
      () => isWanted && setProfiles([]),
    );
    return () => {
      isWanted = false;
    };
  }, [ids, profileOf]);
  return profiles?.length === stages.length ? profiles : undefined;
}

/** The scopes of modules in the stage that is shown, by key. */
function scopesOf(profile: Profile | undefined): ReadonlyMap<string, { profile: Profile; scope: number }> {
  const found = new Map<string, { profile: Profile; scope: number }>();
  if (!profile) return found;
  for (const { key, scope } of rollup(profile, "module")) {
    if (scope !== NONE) found.set(key, { profile, scope });
  }
  return found;
}

interface StageCellProps {
  readonly cell: Cell | undefined;
  /** By mixed module: the number of its note below the table. */
  readonly notes: readonly string[];
}

/** A module's time at one stage: the time, its basis, and the ratio to the first stage. */
function StageCell({ cell, notes }: StageCellProps) {
  if (!cell) return <span class="exirviz-dim">–</span>;
  const { time, ratio, isApart, bases, mixed } = cell;
  const trend = !isApart || ratio === undefined ? "" : ratio > 1 ? "is-more" : "is-less";
  const basis = time === undefined ? "" : basisText(bases);
  return (
    <>
      {timeText(time)}
      {mixed && (
        <abbr class="exirviz-cell-sign" title={visible(mixed)} aria-label={visible(mixed)}>
          {notes.indexOf(mixed) + 1}
        </abbr>
      )}
      {ratio !== undefined && (
        <span class={`exirviz-ratio ${trend}`} title={isApart ? undefined : "Within noise"}>
          {ratioText(ratio)}
        </span>
      )}
      {basis && (
        <span
          class="exirviz-cell-note"
          title={bases
            .filter((each) => each !== "measured")
            .map((each) => BASIS_TEXT[each])
            .join("; ")}
        >
          {basis}
        </span>
      )}
    </>
  );
}
