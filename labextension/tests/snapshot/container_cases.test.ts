/** Which files are refused, by the cases that Python generates: `tests/cases/containers.py`. */
import { expect, test } from "vitest";
import { sections, unpack } from "../../src/snapshot/container";
import { cases } from "../cases";

const { files = [] } = cases("container");

async function isRefused(file: Uint8Array): Promise<boolean> {
  try {
    const { skeleton, detail } = sections(file);
    await Promise.all([unpack(skeleton), unpack(detail)]);
    return false;
  } catch {
    return true;
  }
}

test("there are cases on both sides", () => {
  expect(new Set(files.map(([, , refused]) => refused))).toEqual(new Set([true, false]));
});

test.each(files)("%s", async (_, base64, refused) => {
  const file = Uint8Array.from(atob(base64 as string), (letter) => letter.charCodeAt(0));
  expect(await isRefused(file)).toBe(refused);
});
