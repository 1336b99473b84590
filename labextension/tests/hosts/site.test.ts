import { expect, test } from "vitest";
import { fileAddress, fileNameOf, policyFor } from "../../src/hosts/site/address";

test("only an address of the web is asked for, and only its origin is allowed", () => {
  expect(fileAddress("?url=https://models.example/a/b.pt2")?.origin).toBe("https://models.example");
  for (const search of ["", "?url=", "?url=b.pt2", "?url=file:///etc/passwd", "?url=javascript:alert(1)"])
    expect(fileAddress(search)).toBeUndefined();
  expect(policyFor("?url=https://models.example/a;script-src%20*")).toContain(
    "connect-src 'self' https://models.example;",
  );
  expect(policyFor("?url=data:text/html,x")).toContain("connect-src 'self';");
});

test.each([
  ["https://models.example/a/my%20model.pt2?x=1", "my model.pt2"],
  ["https://models.example/a%2Fb.pt2", "a_b.pt2"],
  ["https://models.example/%ff.pt2", "%ff.pt2"],
  ["https://models.example/", "models.example"],
])("%s names its file %s", (address, name) => {
  expect(fileNameOf(new URL(address))).toBe(name);
});
