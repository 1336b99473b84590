// @vitest-environment happy-dom
import { nullTranslator } from "@jupyterlab/translation";
import { expect, test } from "vitest";
import { type NotebookPanel, savePictures } from "../../src/hosts/lab/saved_pictures";
import { ENDED, emitTabEvent } from "../../src/hosts/tab_events";

const WITH_PICTURE =
  '<div class="exirviz-fallback"><figure><img alt="The graph" src="old"><figcaption>when it ran</figcaption></figure><pre>ops</pre></div>';
const trans = nullTranslator.load("exir_viz");
const WITHOUT = '<div class="exirviz-fallback"><pre>ops</pre></div>';

/** A notebook of one text cell and one code cell, whose outputs are these. */
function notebook(...outputs: readonly string[]) {
  const node = document.createElement("div");
  const areas = outputs.map(() => ({ node: node.appendChild(document.createElement("div")) }));
  const hosts = areas.map((area) => area.node.appendChild(document.createElement("div")));
  const saved = {
    cells: [
      { source: "# text" },
      { outputs: outputs.map((html) => ({ data: { "text/html": html, "text/plain": "ops" } })) },
    ],
  };
  const panel: NotebookPanel = {
    content: { widgets: [{ node: document.createElement("div") }, { node, outputArea: { widgets: areas } }] },
    context: { model: { toJSON: () => saved } },
  };
  const html = (): unknown[] =>
    (panel.context.model.toJSON().cells[1]?.outputs ?? []).map(({ data }) => data?.["text/html"]);
  return { panel, hosts, html, saved };
}

const image = (svg: string): string => `<img alt="The graph" src="data:image/svg+xml;base64,${btoa(svg)}">`;

test.each([
  ["replaces Python's picture", WITH_PICTURE],
  ["is added if Python had none", WITHOUT],
])("a saved picture %s, and the open notebook keeps what it has", (_, html) => {
  const { panel, hosts, html: written, saved } = notebook("<p>another</p>", html);
  const before = structuredClone(saved);
  const shown = { id: "1", title: "net", host: hosts[1] as HTMLElement, picture: () => "<svg>$&</svg>" };
  savePictures(shown, [panel], trans);
  const figure = `<figure>${image("<svg>$&</svg>")}<figcaption>The view when the notebook was saved. Below it, the program when the cell ran. Run the cell again for the explorer.</figcaption></figure>`;
  expect(written()).toEqual([
    "<p>another</p>",
    `<div class="exirviz-fallback">${figure}<pre>ops</pre></div>`,
  ]);
  expect(saved).toEqual(before);
  emitTabEvent(document, ENDED, shown);
  expect(written()).toEqual(["<p>another</p>", html]);
});

test("other outputs, explorers elsewhere and large pictures change nothing", () => {
  const { panel, hosts, html } = notebook("<p>another</p>", WITH_PICTURE);
  savePictures({ id: "", title: "", host: document.body, picture: () => "" }, [panel], trans);
  const [foreign, own] = hosts as HTMLElement[] as [HTMLElement, HTMLElement];
  const elsewhere = document.createElement("div");
  for (const [host, svg] of [
    [foreign, "<svg/>"],
    [elsewhere, "<svg/>"],
    [own, "x".repeat(600_000)],
  ] as const)
    savePictures({ id: svg, title: "net", host, picture: () => svg }, [], trans);
  expect(html()).toEqual(["<p>another</p>", WITH_PICTURE]);
});
