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
    <section class="exirviz-section" aria-label={title}>
      {title && (
        <header class="exirviz-section-head">
          <h4>{title}</h4>
          {aside !== undefined && <span class="exirviz-aside">{aside}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Rows({ children }: { children: ComponentChildren }) {
  return <dl class="exirviz-rows">{children}</dl>;
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
  <span class="exirviz-absent">{children}</span>
);
