// @vitest-environment happy-dom
/** Each text that the extension adds to JupyterLab comes from the translator. */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { Kernel } from "@jupyterlab/services";
import type { ITranslator, TranslationBundle } from "@jupyterlab/translation";
import { beforeEach, expect, test, vi } from "vitest";
import { ExplorerTabs } from "../../src/hosts/lab/explorer_tabs";
import plugins from "../../src/hosts/lab/index";
import { variablesOf } from "../../src/hosts/lab/program_list";
import { Sidebar } from "../../src/hosts/lab/sidebar";

/** Tokens of JupyterLab, what it was asked to show, and stubs of its classes. */
const lab = vi.hoisted(() => {
  const shown = { titles: [] as string[], buttons: [] as { label: string; tooltip: string }[] };
  const signal = () => ({ connect: vi.fn(), disconnect: vi.fn() });
  class Titled {
    readonly title: Record<string, unknown> = {};
    readonly node = document.createElement("div");
    readonly disposed = signal();
    readonly content: unknown;
    id = "";
    isDisposed = false;
    isVisible = true;
    constructor(options: { content?: unknown } = {}) {
      this.content = options.content;
    }
    addClass(): void {}
    addWidget(): void {}
    dispose(): void {}
  }
  return { shown, signal, Titled };
});

vi.mock("@lumino/widgets", () => ({ Widget: lab.Titled, Panel: lab.Titled }));
vi.mock("@jupyterlab/application", () => ({ ILabShell: "ILabShell", ILayoutRestorer: "ILayoutRestorer" }));
vi.mock("@jupyterlab/apputils", () => ({
  ICommandPalette: "ICommandPalette",
  MainAreaWidget: lab.Titled,
  ToolbarButton: class {
    constructor(options: { label: string; tooltip: string }) {
      lab.shown.buttons.push(options);
    }
  },
  WidgetTracker: class {
    currentWidget = null;
    add = vi.fn();
  },
  showErrorMessage: (title: string) => lab.shown.titles.push(title),
}));
vi.mock("@jupyterlab/docmanager", () => ({ IDocumentManager: "IDocumentManager" }));
vi.mock("@jupyterlab/docregistry", () => ({
  ABCWidgetFactory: class {
    readonly widgetCreated = lab.signal();
  },
  DocumentWidget: lab.Titled,
  TextModelFactory: class {},
}));
vi.mock("@jupyterlab/filebrowser", () => ({
  IFileBrowserFactory: "IFileBrowserFactory",
  FileDialog: {
    getOpenFiles: ({ title }: { title: string }) => {
      lab.shown.titles.push(title);
      return Promise.resolve({ button: { accept: false }, value: [] });
    },
  },
}));
vi.mock("@jupyterlab/launcher", () => ({ ILauncher: "ILauncher" }));
vi.mock("@jupyterlab/settingregistry", () => ({ ISettingRegistry: "ISettingRegistry" }));
vi.mock("@jupyterlab/translation", () => ({ ITranslator: "ITranslator", nullTranslator: undefined }));
vi.mock("@jupyterlab/ui-components", () => ({ LabIcon: class {} }));

const filled = (text: string, args: readonly unknown[]): string =>
  `«${text.replace(/%(\d)/g, (_, at) => String(args[Number(at) - 1]))}»`;
const trans = {
  __: (text: string, ...args: unknown[]) => filled(text, args),
  _n: (one: string, more: string, n: number, ...args: unknown[]) =>
    filled(n === 1 ? one : more, [n, ...args]),
} as unknown as TranslationBundle;
const load = vi.fn((_: string) => trans);
const translator = { load } as unknown as ITranslator;

/** The texts, titles and labels of an element that a user sees. */
function textsOf(element: HTMLElement): string[] {
  const all = [element, ...element.querySelectorAll<HTMLElement>("*")];
  const own = all.flatMap((each) =>
    [...each.childNodes].flatMap((node) => (node.nodeType === 3 ? [node.textContent ?? ""] : [])),
  );
  const attributes = all.flatMap((each) =>
    ["title", "aria-label"].flatMap((name) => each.getAttribute(name) ?? []),
  );
  return [...own, ...attributes].filter((text) => text !== "");
}

/** Those with words that did not come from the translator. */
const untranslated = (texts: readonly string[]): string[] =>
  texts.filter((text) => /[A-Za-z]{2}/.test(text.replace(/«[^»]*»/g, "")));

interface Command {
  readonly label?: string;
  readonly caption?: string;
}

function activated() {
  const commands = new Map<string, Command>();
  const added: { title: Record<string, string> }[] = [];
  const types: { displayName: string }[] = [];
  const app = {
    commands: {
      addCommand: (id: string, options: Command) => commands.set(id, options),
      caption: (id: string) => commands.get(id)?.caption ?? "",
    },
    docRegistry: {
      addFileType: (type: { displayName: string }) => types.push(type),
      addModelFactory: vi.fn(),
      addWidgetFactory: (factory: { defaultToolbarFactory: () => void }) => factories.push(factory),
      addWidgetExtension: vi.fn(),
    },
    shell: {
      add: (widget: { title: Record<string, string> }) => added.push(widget),
      currentChanged: lab.signal(),
    },
    serviceManager: {},
  };
  const factories: { defaultToolbarFactory: () => void }[] = [];
  for (const { activate, requires = [], optional = [] } of plugins) {
    const known: Record<string, unknown> = {
      ITranslator: translator,
      ILabShell: {},
      IFileBrowserFactory: { tracker: {} },
    };
    const services = [...requires, ...optional].map((token) => known[token as unknown as string] ?? null);
    void (activate as (...all: unknown[]) => void)(app, ...services);
  }
  return { commands, added, types, factories };
}

beforeEach(() => {
  lab.shown.titles.length = 0;
  lab.shown.buttons.length = 0;
});

test("commands, their menu entries, file types, the toolbar and the sidebar's tab", () => {
  const { commands, added, types, factories } = activated();
  const labels = [...commands.values()].flatMap(({ label = "", caption = "" }) => [label, caption]);
  expect(labels).toContain("«Open Program…»");
  expect(untranslated(labels)).toEqual([]);
  expect(types.length).toBeGreaterThan(4);
  expect(untranslated(types.map(({ displayName }) => displayName))).toEqual([]);
  for (const factory of factories) factory.defaultToolbarFactory();
  expect(lab.shown.buttons).toHaveLength(2);
  expect(untranslated(lab.shown.buttons.map(({ label }) => label))).toEqual([]);
  expect(added.map(({ title }) => title["caption"])).toEqual(["«Programs of the active kernel»"]);
  expect(new Set(load.mock.calls.map(([domain]) => domain))).toEqual(new Set(["exir_viz"]));
});

function contentOf(tab: InstanceType<typeof lab.Titled> | undefined): HTMLElement {
  const content = tab?.content as InstanceType<typeof lab.Titled> | undefined;
  if (!content) throw new Error("no tab");
  return content.node;
}

/** A sidebar of a notebook whose kernel answers with these programs. */
async function sidebarWith(programs: unknown) {
  const host = document.createElement("div");
  const added: InstanceType<typeof lab.Titled>[] = [];
  const kernel = {
    iopubMessage: lab.signal(),
    statusChanged: lab.signal(),
    requestExecute: () => ({
      done: Promise.resolve({ content: { status: "ok", user_expressions: { programs } } }),
    }),
  } as unknown as Kernel.IKernelConnection;
  const panel = {
    title: { label: "①" },
    disposed: lab.signal(),
    content: { rendermime: {} },
    sessionContext: { kernelChanged: lab.signal(), session: { kernel } },
  };
  const shell = {
    currentChanged: lab.signal(),
    currentWidget: programs === undefined ? null : panel,
    add: (widget: InstanceType<typeof lab.Titled>) => added.push(widget),
  };
  const app = { shell } as unknown as JupyterFrontEnd;
  new Sidebar(host, app, trans, () => true);
  await vi.waitFor(() => expect(host.textContent).not.toBe(""));
  await new Promise((resolve) => setTimeout(resolve));
  return { host, added };
}

const listed = (names: readonly string[], left_out = 0) => ({
  status: "ok",
  data: {
    "application/json": {
      variables: names.map((name, i) => ({
        ...{ name, kind: "②", dialect: "③", nodes: i + 1 },
        can_compare: i > 0,
      })),
      left_out,
    },
  },
});

test.each([
  ["no notebook", undefined, "Open a notebook"],
  ["no programs", listed([]), "No programs yet"],
  ["three programs", listed(["④", "⑤", "⑥"], 1200), "… 1,200 more"],
])("the sidebar: %s", async (_, programs, text) => {
  const { host } = await sidebarWith(programs);
  expect(host.textContent).toContain(`«${text}`);
  expect(untranslated(textsOf(host))).toEqual([]);
});

test("the sidebar with two selected programs, and the tab that it opens", async () => {
  const { host, added } = await sidebarWith(listed(["④", "⑤", "⑥"]));
  for (const name of ["⑤", "⑥"]) {
    const box = host.querySelector<HTMLInputElement>(`[aria-label*="${name}"]`);
    if (!box) throw new Error("no such box");
    box.checked = true;
    box.dispatchEvent(new Event("change"));
  }
  expect(host.textContent).toContain("«Compare ⑤ with ⑥»");
  expect(untranslated(textsOf(host))).toEqual([]);
  host.querySelector<HTMLElement>("[data-variable]")?.click();
  const [tab] = added;
  expect(tab?.title).toMatchObject({ label: "④", icon: expect.anything() });
  expect(untranslated(textsOf(contentOf(tab)))).toEqual([]);
});

test.each([
  ["not installed", { status: "error", ename: "ModuleNotFoundError", evalue: "" }],
  ["an error", { status: "error", ename: "①", evalue: "②" }],
  ["too old", { status: "ok", data: {} }],
])("why the kernel lists no programs: %s", (_, answer) => {
  expect(untranslated([variablesOf(answer, trans) as string])).toEqual([]);
});

test("titles of dialogs", async () => {
  const { openProgram, compareWithOther, exploreInNotebook } = await import("../../src/hosts/lab/actions");
  const manager = {} as Parameters<typeof openProgram>[0];
  await openProgram(manager, "", trans);
  const widget = { context: { path: "①" }, content: {} } as unknown as Parameters<typeof compareWithOther>[1];
  await compareWithOther(manager, widget, trans);
  const app = { serviceManager: { contents: {}, kernelspecs: {} } } as unknown as JupyterFrontEnd;
  await exploreInNotebook(app, "①", trans);
  expect(lab.shown.titles).toEqual([
    "«Open program»",
    "«Compare ① with…»",
    "«Cannot create a notebook for ①»",
  ]);
});

test("the tab of an explorer, with its icon, and the note in its cell", () => {
  const added: InstanceType<typeof lab.Titled>[] = [];
  const shell = { add: (widget: (typeof added)[number]) => added.push(widget), activateById: vi.fn() };
  const tracker = { add: vi.fn() };
  const tabs = new ExplorerTabs(
    ...([shell, tracker, trans] as unknown as ConstructorParameters<typeof ExplorerTabs>),
  );
  tabs.open("1", "①");
  const [tab] = added;
  expect(tab?.title).toMatchObject({ label: "①", icon: expect.anything() });
  const node = contentOf(tab);
  expect(node.textContent).toContain("«The explorer appears here");
  expect(untranslated(textsOf(node))).toEqual([]);
  const host = document.createElement("div");
  tabs.add({ id: "1", title: "①", host });
  expect(host.textContent).toContain("«Show the tab»");
  expect(untranslated(textsOf(host))).toEqual([]);
});
