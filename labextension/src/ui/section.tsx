/** The layout of panels: sections with small headings, and rows with a term and its description. */
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

/** Text for a missing value. */
export const Absent = ({ children }: { children: ComponentChildren }) => (
  <span class="exirviz-absent">{children}</span>
);
