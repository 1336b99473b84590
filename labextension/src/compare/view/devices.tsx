/** The delegates and ops that ran in the ExecuTorch runtime: their own error, and the error in sequence. */

import type { JSX } from "preact";
import { Link } from "../../ui/links";
import { Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import { apartText } from "../values/number_text";
import type { DeviceRow, Numbers } from "../values/schema";
import type { ValueDiff } from "../values/value_diff";
import { ranText, shownDevices } from "../values/what_ran";
import { Bisection } from "./bisection";
import { useColumns, usePair } from "./context";

/** How many are listed: those that diverge come first. */
const MOST_LISTED = 30;

export function Devices({ values: { record } }: { values: ValueDiff }): JSX.Element | null {
  const { devices = [] } = record;
  if (!devices.length) return null;
  const shown = shownDevices(devices);
  const diverged = devices.filter(({ isolated }) => isolated?.diverged).length;
  return (
    <Section title="In the runtime" aside={`${diverged} of ${devices.length} diverge`}>
      <table class="exirviz-devices">
        <thead>
          <tr>
            <th scope="col">delegate or op</th>
            <th scope="col" title="On the values of eager torch: only its own error">
              isolated
            </th>
            <th scope="col" title="On the values of the runtime: includes errors of earlier ops">
              in sequence
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MOST_LISTED).map((row) => (
            <Device key={row.node} row={row} />
          ))}
        </tbody>
      </table>
      {shown.length > MOST_LISTED && (
        <p class="exirviz-dim">and {plural(shown.length - MOST_LISTED, "more delegate")}</p>
      )}
    </Section>
  );
}

function Device({ row }: { row: DeviceRow }): JSX.Element {
  const columns = useColumns();
  const pair = usePair();
  const name = visible(pair.changes.snapshots[1].name(row.node));
  const isWrong = row.isolated?.diverged === true || row.ran === "not run";
  const canBisect = isWrong && row.backend !== undefined;
  return (
    <>
      <tr>
        <th scope="row">
          <Link onClick={() => void columns.row.explorer(pair.at + 1).reveal(row.node)}>{name}</Link>
        </th>
        {row.isolated ? (
          <>
            <Distance numbers={row.isolated} />
            <Distance numbers={row.in_sequence} />
          </>
        ) : (
          <td colSpan={2} class="exirviz-dim">
            {ranText(row.ran)}
          </td>
        )}
      </tr>
      {row.reason && (
        <tr class="exirviz-device-more">
          <td colSpan={3} class="exirviz-dim">
            {visible(row.reason)}
          </td>
        </tr>
      )}
      {canBisect && <Bisection delegate={row.node} name={name} />}
    </>
  );
}

function Distance({ numbers }: { numbers: Numbers | undefined }): JSX.Element {
  if (!numbers) return <td />;
  return (
    <td class={numbers.diverged ? "exirviz-diverged" : ""}>
      {numbers.diverged ? "≠ " : "= "}
      {apartText(numbers)}
    </td>
  );
}
