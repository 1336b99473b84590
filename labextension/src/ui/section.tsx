/** The frame of a panel's contents: sections with small headings, and rows of a term and what it is. */
import type { ComponentChildren } from "preact";

export function Section({
  title,
  aside,
  children,
}: {
  title?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="ev-section" aria-label={title}>
      {title && (
        <header class="ev-section-head">
          <h4>{title}</h4>
          {aside !== undefined && <span class="ev-aside">{aside}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Rows({ children }: { children: ComponentChildren }) {
  return <dl class="ev-rows">{children}</dl>;
}

export function Row({ term, note, children }: { term: string; note?: string; children: ComponentChildren }) {
  return (
    <>
      <dt title={note ?? term}>{term}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** What is not there, said. */
export const Absent = ({ children }: { children: ComponentChildren }) => (
  <span class="ev-absent">{children}</span>
);
