/** Which dtypes the edge dialect allows for a call, which it has, and a combination that is not allowed. */
import { type Snapshot, shortDtype } from "../../snapshot";
import { Section } from "../../ui/section";
import { visible } from "../../ui/text";

/** Nothing for nodes that call no edge operator. */
export function EdgeDtypes({ snapshot, node }: { snapshot: Snapshot; node: number }) {
  const rule = snapshot.skeleton.page?.dtypes?.find(({ nodes }) => nodes.includes(node));
  if (!rule) return null;
  const { names, found, allowed, is_allowed: isAllowed = true, refused, remedy } = rule;
  return (
    <Section title="Edge dtypes" aside={isAllowed ? "allowed" : "not allowed"}>
      <table class="exirviz-edge-dtypes">
        <thead>
          <tr>
            <th scope="col">argument</th>
            <th scope="col">here</th>
            <th scope="col">allowed</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name, at) => (
            <tr key={name}>
              <th scope="row">{visible(name)}</th>
              <td>
                <code>{found[at] ? shortDtype(found[at]) : "–"}</code>
              </td>
              <td>
                <code class="exirviz-dim">{(allowed[at] ?? []).map(shortDtype).join(" ")}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {refused && (
        <p class="exirviz-hint">
          {isAllowed ? "Example of another combination, which is not allowed: " : "Not allowed here: "}
          <code>{visible(refused)}</code>
          {!isAllowed && `. ${visible(remedy ?? "")}`}
        </p>
      )}
    </Section>
  );
}
