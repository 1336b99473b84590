/** A scene as SVG, for viewing. */

import { Kind, type Scene, trace } from "../../src/layout";

export function svg(scene: Scene, labels: readonly string[]): string {
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${scene.width}" height="${scene.height}" font-family="sans-serif">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
  ];
  const at = (slot: number, i: number): number => scene.rect[4 * slot + i] ?? 0;
  const boxes = (open: boolean): void => {
    for (let s = 0; s < scene.item.length; s++) {
      if ((scene.kind[s] === Kind.Open) !== open) continue;
      const fill = open
        ? `hsl(208 60% ${Math.max(82, 97 - 4 * (scene.depth[s] ?? 0))}%)`
        : scene.kind[s] === Kind.Closed
          ? "#cfe3f5"
          : "#fff";
      const many = (scene.members[s] ?? 1) > 1 ? ` ×${scene.members[s]}` : "";
      const label = escaped((labels[scene.item[s] ?? 0] ?? "") + many);
      out.push(
        `<rect x="${at(s, 0)}" y="${at(s, 1)}" width="${at(s, 2)}" height="${at(s, 3)}" rx="${open ? 9 : 6}" fill="${fill}" stroke="#8fb2d4"/>`,
        open
          ? `<text x="${at(s, 0) + 12}" y="${at(s, 1) + 20}" font-size="13" font-weight="600">${label}</text>`
          : `<text x="${at(s, 0) + 10}" y="${at(s, 1) + at(s, 3) / 2 + 4}" font-size="12">${label}</text>`,
      );
    }
  };
  boxes(true);
  for (let e = 0; e < scene.strokes.value.length; e++) out.push(line(scene, e));
  boxes(false);
  return [...out, "</svg>"].join("\n");
}

const escaped = (s: string): string => s.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);

function line({ strokes }: Scene, e: number): string {
  const d: string[] = [];
  const [a, b] = [strokes.pointStart[e] ?? 0, strokes.pointStart[e + 1] ?? 0];
  trace(strokes.points, a, b, {
    moveTo: (x, y) => d.push(`M${x} ${y}`),
    lineTo: (x, y) => d.push(`L${x} ${y}`),
    bezierCurveTo: (...c) => d.push(`C${c.join(" ")}`),
  });
  const [x, y] = [strokes.points[2 * b - 2] ?? 0, strokes.points[2 * b - 1] ?? 0];
  const head = strokes.arrives[e]
    ? `<path d="M${x - 4} ${y - 7}L${x} ${y}L${x + 4} ${y - 7}Z" fill="#66707c"/>`
    : "";
  return `<path d="${d.join("")}" fill="none" stroke="#66707c" stroke-width="1.25"/>${head}`;
}
