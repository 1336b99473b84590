/**
 * Plotly charts that an explorer made stand in cells of their own, each as wide as its cell: at first sight, and
 * whenever the cell changes. plotly measures a chart before it stands in its page, and hears of the window alone:
 * so it is told that the window has changed.
 */

const PLOT = ".js-plotly-plot";

/** Until what this returns is called. */
export function fitCharts(document: Document): () => void {
  const charts = document.getElementsByClassName("exirviz-chart");
  const known = new WeakSet<Element>();
  let frame = 0;
  const tell = (): void => {
    frame = 0;
    if (Array.from(charts).some(isMisfit)) window.dispatchEvent(new Event("resize"));
  };
  const sizes = new ResizeObserver(() => {
    frame ||= requestAnimationFrame(tell);
  });
  const look = (): void => {
    for (const chart of Array.from(charts)) {
      // what it is drawn on too: that may come when the cell has its size
      for (const part of [chart, drawingOf(chart)]) {
        if (!part || known.has(part)) continue;
        known.add(part);
        sizes.observe(part);
      }
    }
  };
  const arrivals = new MutationObserver(look);
  arrivals.observe(document.body, { childList: true, subtree: true });
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

/** Whether it stands in the page, drawn narrower or wider than its place. */
function isMisfit(chart: Element): boolean {
  const drawing = drawingOf(chart);
  const place = chart.matches(PLOT) ? chart : chart.querySelector(PLOT);
  if (!drawing || !place?.clientWidth) return false;
  return Math.abs(drawing.getBoundingClientRect().width - place.clientWidth) > 1;
}
