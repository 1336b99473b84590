/** The path from the outermost module to the hottest op, each step with its time and share of the run. */

import { shareText, timeText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link, ModuleLink } from "../../ui/links";
import { Section } from "../../ui/section";
import { lastName } from "../../ui/text";
import { ownerOf } from "../module_places";
import { within } from "../nested_cost";
import type { Profile } from "../profile";
import { hotPath, rollup, type Share } from "../rollup";

export function HotPath({ snapshot, actions, profile }: Here & { profile: Profile }) {
  const path = hotPath(profile);
  const last = path.at(-1);
  if (!last) return null;
  const own = new Set(last.nodes);
  const hottest = rollup(profile, "node").find(({ nodes }) => own.has(nodes[0] ?? -1));
  const [node] = hottest?.nodes ?? [];
  const nameOf = ({ scope, key }: Share, i: number): string => {
    const outer = snapshot.scopes[path[i - 1]?.scope ?? -1]?.path ?? "";
    const inner = snapshot.scopes[scope]?.path ?? "";
    if (!inner) return lastName(snapshot.scopes[scope]?.cls ?? "") || key;
    return outer && inner.startsWith(`${outer}.`) ? inner.slice(outer.length + 1) : key;
  };
  return (
    <Section title="Hot path">
      <ol class="exirviz-path">
        {path.map((share, i) => (
          <li key={share.key}>
            <ModuleLink
              snapshot={snapshot}
              scope={share.scope}
              onGo={() => actions.revealModule(ownerOf(profile, share.scope), share.scope)}
            >
              <Clip text={nameOf(share, i)} />
            </ModuleLink>
            <Cost profile={profile} time={share.total ?? 0} />
          </li>
        ))}
        {hottest && node !== undefined && (
          <li>
            <Link onClick={() => actions.reveal(node)}>
              <Clip text={snapshot.callName(node)} />
            </Link>
            <Cost profile={profile} time={within(profile, node)?.time ?? hottest.time ?? 0} />
          </li>
        )}
      </ol>
    </Section>
  );
}

function Cost({ profile, time }: { profile: Profile; time: number }) {
  return (
    <span class="exirviz-path-cost">
      {timeText(time)} <span class="exirviz-dim">{shareText(profile.share(time))}</span>
    </span>
  );
}
