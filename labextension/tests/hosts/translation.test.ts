// @vitest-environment happy-dom
/** Each text that the extension adds to JupyterLab comes from the translator. */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { Kernel } from "@jupyterlab/services";
import type { ITranslator, TranslationBundle } from "@jupyterlab/translation";
import { beforeEach, expect, test, vi } from "vitest";
import { FileView } from "../../src/documents/file_view";
import { notebookFor } from "../../src/documents/notebook";
import type { Problem } from "../../src/documents/schema";
import { PROGRAM_FILES } from "../../src/hosts/files";
import { ExplorerTabs } from "../../src/hosts/lab/explorer_tabs";
import { nameOfFileType } from "../../src/hosts/lab/file_type_name";
import plugins from "../../src/hosts/lab/index";
import { PageProvider } from "../../src/hosts/lab/page_provider";
import { nameOfVariableKind, variablesOf } from "../../src/hosts/lab/program_list";
import { ServerProvider } from "../../src/hosts/lab/server_provider";
import { Sidebar } from "../../src/hosts/lab/sidebar";
import { FakeProvider, refused } from "../documents/answers";

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
vi.mock("@jupyterlab/services", () => ({ ServerConnection: {} }));
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
  tabs.add({ id: "1", title: "①", host, picture: () => "" });
  expect(host.textContent).toContain("«Show the tab»");
  expect(untranslated(textsOf(host))).toEqual([]);
});

/** An element with a file that a provider gives. */
function fileIn(provider: FakeProvider) {
  const host = document.createElement("div");
  return { host, view: new FileView(host, provider, "①.pt2", trans) };
}

const NAMES = /①\.pt2|②\.pt2/g;
const seenIn = (host: HTMLElement): string[] => textsOf(host).map((text) => text.replace(NAMES, ""));

test("a file that is read, its loading and the offer to read it again", () => {
  const provider = new FakeProvider();
  provider.answer = () => new Promise(() => undefined);
  const { host, view } = fileIn(provider);
  void view.read();
  expect(host.textContent).toBe("«Reading the file…»");
  provider.onLoading(0.5);
  expect(host.querySelector("progress")?.getAttribute("aria-label")).toBe("«Loading Python»");
  expect(untranslated(seenIn(host))).toEqual([]);
  view.offerReload();
  expect(host.textContent).toContain("«①.pt2 has changed on disk.»«Reload»");
  expect(untranslated(seenIn(host))).toEqual([]);
});

test("the page of a file that cannot be read, and that of two that cannot be compared", async () => {
  const provider = new FakeProvider();
  const { host, view } = fileIn(provider);
  const problem = { file: "①.pt2", reason: "②", remedy: "③", member: "④" };
  provider.answer = async () => Promise.reject(Object.assign(refused(""), { problem }));
  await view.read();
  expect(host.textContent).toContain("«Cannot open ①.pt2»");
  expect(host.querySelectorAll("dt")).toHaveLength(3);
  expect(untranslated(seenIn(host))).toEqual([]);
  provider.answer = async () => Promise.reject(new Error("②"));
  await view.compareWith("②.pt2");
  expect(host.textContent).toContain("«Cannot open «①.pt2 and ②.pt2»»");
  expect(host.textContent).toContain("«Back»«Try again»");
  expect(untranslated(seenIn(host).map((text) => text.replaceAll("««»»", "")))).toEqual([]);
});

test.each([
  ["another drive", "S3:①", new Response("")],
  ["no extension", "①", new Response("", { status: 404 })],
  ["signed out", "①", new Response("", { status: 403 })],
  ["a fault", "①", new Response("", { status: 502 })],
])("why Jupyter's server gives no file: %s", async (_, path, answer) => {
  const contents = {
    driveName: (each: string) => (each.includes(":") ? "S3" : ""),
    localPath: (each: string) => each,
  };
  const provider = new ServerProvider(contents, { baseUrl: "/" }, trans, async () => answer);
  expectTranslated(await problemIn(provider.program(path, new AbortController().signal)));
});

test("why a file cannot be read in the page", async () => {
  const ask = async (): Promise<Response> => new Response("", { status: 404 });
  const provider = new PageProvider("/", { get: vi.fn() }, trans, ask);
  expectTranslated(await problemIn(provider.program("①", new AbortController().signal)));
});

async function problemIn(reading: Promise<unknown>): Promise<Problem> {
  const thrown = await reading.catch((problem: unknown) => problem);
  return (thrown as { problem: Problem }).problem;
}

const expectTranslated = ({ reason, remedy }: Problem): void => {
  for (const text of [reason, remedy]) expect(text).toMatch(/^«.*»$/);
};

test("the prose of the notebook for a file", () => {
  const { cells } = notebookFor("①.pt2", trans) as { cells: { source: string }[] };
  const [title, , live] = cells.map(({ source }) => source);
  expect(title).toContain("«`exir_viz.load` reads the file as data");
  expect(live).toContain("# «To lower");
});

test("the names of files and variables", () => {
  const names = PROGRAM_FILES.map(({ type }) => nameOfFileType(type, trans));
  expect(new Set(names).size).toBe(PROGRAM_FILES.length);
  expect(untranslated(names)).toEqual([]);
  expect(nameOfVariableKind("session", trans)).toBe("«session»");
  expect(nameOfVariableKind("of a newer kernel", trans)).toBe("of a newer kernel");
});
