/**
 * Plotly charts of an explorer in notebook cells, resized to the width of their cells. Plotly measures a
 * chart before it is in the page and only listens to the window, so a resize event of the window is sent.
 */

const PLOT = ".js-plotly-plot";

/** Ends when the returned function is called. */
export function fitCharts(document: Document): () => void {
  const charts = document.getElementsByClassName("exirviz-chart");
  const known = new WeakSet<Element>();
  let frame = 0;
  const tell = (): void => {
    frame = 0;
    if (Array.from(charts).some(needsResize)) window.dispatchEvent(new Event("resize"));
  };
  const sizes = new ResizeObserver(() => {
    frame ||= requestAnimationFrame(tell);
  });
  const look = (): void => {
    for (const chart of Array.from(charts)) {
      // also the drawing, which may appear when the cell already has its size
      for (const part of [chart, drawingOf(chart)]) {
        if (!part || known.has(part)) continue;
        known.add(part);
        sizes.observe(part);
      }
    }
  };
  const arrivals = new MutationObserver(look);
  // A chart may get its class, by which it is found, after it was put into the page.
  arrivals.observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });
  look();
  return () => {
    arrivals.disconnect();
    sizes.disconnect();
    cancelAnimationFrame(frame);
  };
}

function drawingOf(chart: Element): Element | null {
  return chart.querySelector(".main-svg");
}

/** Whether it is in the page, and narrower or wider than its place. */
function needsResize(chart: Element): boolean {
  const drawing = drawingOf(chart);
  const place = chart.matches(PLOT) ? chart : chart.querySelector(PLOT);
  if (!drawing || !place?.clientWidth) return false;
  return Math.abs(drawing.getBoundingClientRect().width - place.clientWidth) > 1;
}
