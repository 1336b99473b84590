// @vitest-environment happy-dom
import { expect, test } from "vitest";
import schema from "../../schema/settings.json";
import { pageSettings, settingsFrom } from "../../src/hosts/page_settings";
import { SETTINGS_ATTRIBUTE } from "../../src/hosts/settings_attribute";

test("a page without settings has the defaults of the schema", () => {
  const defaults = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, property.default]),
  );
  expect(pageSettings(document)).toEqual({ theme: "auto", foldsParameters: true, byteUnit: "KB" });
  expect(settingsFrom(defaults)).toEqual(pageSettings(document));
});

test("what JupyterLab writes, explorers read", () => {
  const given = { theme: "dark", depth: 2, foldParameters: false, units: "KiB" };
  document.body.setAttribute(SETTINGS_ATTRIBUTE, JSON.stringify(given));
  expect(pageSettings(document)).toEqual({
    theme: "dark",
    depth: 2,
    foldsParameters: false,
    byteUnit: "KiB",
  });
});

test.each([["null"], ['{"theme": "pink", "depth": "2", "foldParameters": 1, "units": "kB"}'], ["{"]])(
  "a wrong value has its default: %s",
  (text) => {
    document.body.setAttribute(SETTINGS_ATTRIBUTE, text);
    expect(pageSettings(document)).toEqual({ theme: "auto", foldsParameters: true, byteUnit: "KB" });
  },
);
