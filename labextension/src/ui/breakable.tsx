/** Names in narrow places. */
import { visible } from "./text";

const AFTER = /(?<=[._])/;

/** A name that goes to the next line after a dot or an underscore. */
export const Breakable = ({ text }: { readonly text: string }) => (
  <>
    {visible(text)
      .split(AFTER)
      .map((part, i) => (
        <>
          {i > 0 && <wbr />}
          {part}
        </>
      ))}
  </>
);
