/** The choice of a panel's method if a program has several; nothing if it has one. */
import type { Snapshot } from "../snapshot";
import { visible } from "../ui/text";

interface MethodChoiceProps {
  readonly snapshot: Snapshot;
  readonly method: number;
  readonly onMethod: (method: number) => void;
}

export function MethodChoice({ snapshot, method, onMethod }: MethodChoiceProps) {
  if (snapshot.methods.length < 2) return null;
  return (
    <select
      class="exirviz-input exirviz-method-select"
      aria-label="Method"
      value={method}
      onChange={(event) => onMethod(Number(event.currentTarget.value))}
    >
      {snapshot.methods.map(({ name }, i) => (
        <option key={name} value={i}>
          {visible(name)}
        </option>
      ))}
    </select>
  );
}
