/** A name that is shown in full, on as many lines as it needs: they break after a dot or an underscore. */
import { Fragment } from "preact";
import { visible } from "./text";

export function Wrapped({ text }: { text: string }) {
  return (
    <span class="exirviz-wrapped">
      {visible(text)
        .split(/(?<=[._])(?=\w)/)
        .map((part, i) => (
          <Fragment key={i}>
            {i > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
    </span>
  );
}
