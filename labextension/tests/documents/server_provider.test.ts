import { expect, test, vi } from "vitest";
import type { UnreadableFile } from "../../src/documents/provider";
import type { Problem } from "../../src/documents/schema";
import { ENGLISH } from "../../src/hosts/translation";

// JupyterLab provides it at run time; the test passes its own request.
vi.mock("@jupyterlab/services", () => ({ ServerConnection: {} }));
const { ServerProvider } = await import("../../src/hosts/lab/server_provider");

const contents = {
  driveName: (path: string) => (path.includes(":") ? path.slice(0, path.indexOf(":")) : ""),
  localPath: (path: string) => path.slice(path.indexOf(":") + 1),
};

function providerWith(answer: Response) {
  const urls: string[] = [];
  const ask = async (url: string): Promise<Response> => {
    urls.push(url);
    return answer;
  };
  const provider = new ServerProvider(contents, { baseUrl: "http://lab/user/ada/" }, ENGLISH, ask);
  return { provider, urls };
}

const { signal } = new AbortController();

async function problem(answer: Response, path = "model.pt2"): Promise<Problem> {
  const thrown: unknown = await providerWith(answer)
    .provider.program(path, signal)
    .catch((error: unknown) => error);
  return (thrown as UnreadableFile).problem;
}

test("a file is requested below the server's own address, also on the drive of jupyter-collaboration", async () => {
  const { provider, urls } = providerWith(new Response(new Uint8Array([1, 2])));
  expect([...(await provider.program("RTC:dir/a b&c.pte", signal))]).toEqual([1, 2]);
  expect(urls).toEqual(["http://lab/user/ada/exir-viz/program?path=dir%2Fa+b%26c.pte"]);
});

test("both files of a diff are named", async () => {
  const { provider, urls } = providerWith(new Response(""));
  await provider.diff("a.pt2", "RTC:b.pt2", signal);
  expect(urls).toEqual(["http://lab/user/ada/exir-viz/diff?a=a.pt2&b=b.pt2"]);
});

test("two stages of a file are named by their ids", async () => {
  const { provider, urls } = providerWith(new Response(""));
  await provider.stages("RTC:dir/session.exirviz", "s0", "s2", signal);
  expect(urls).toEqual(["http://lab/user/ada/exir-viz/stages?a=s0&b=s2&path=dir%2Fsession.exirviz"]);
});

test("another drive is refused", async () => {
  const { reason, remedy } = await problem(new Response(""), "S3:bucket/model.pt2");
  expect(reason).toContain("drive S3");
  expect(remedy).toContain("Copy");
});

test("the server's message is passed on", async () => {
  const answer = { file: "model.pt2", reason: "it is empty", remedy: "Save it again.", member: "" };
  expect(await problem(Response.json(answer, { status: 422 }))).toEqual({
    file: "model.pt2",
    reason: "it is empty",
    remedy: "Save it again.",
    member: "",
  });
});

test("a server without the extension, and one that needs a sign-in, give a remedy", async () => {
  expect((await problem(Response.json({ message: "Not Found" }, { status: 404 }))).remedy).toContain(
    "Install exir-viz",
  );
  expect((await problem(new Response("<html>", { status: 403 }))).remedy).toContain("Sign in");
  expect((await problem(new Response("<html>", { status: 502 }))).reason).toContain("502");
});
