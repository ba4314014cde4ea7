import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInBrowser } from "../../../src/cli/output/open-in-browser.ts";
import { newHome } from "../settings/temporary-home.ts";

const address = "https://pay.example/pay/t?a=1&b=$(touch)";

/** A folder with one program in it, which writes down what it is called and told. */
function folderWith(program: string) {
  const folder = newHome();
  const seen = join(folder, "seen");
  const script = `#!/bin/sh\nprintf '%s\\n' "\${0##*/}" "$@" > '${seen}.part'; /bin/mv '${seen}.part' '${seen}'\n`;
  writeFileSync(join(folder, program), script, { mode: 0o755 });
  const told = () => readFileSync(seen, "utf8").trimEnd().split("\n");
  return { folder, told };
}

test.each([
  ["darwin", ["open", address]],
  ["linux", ["xdg-open", address]],
  ["freebsd", ["xdg-open", address]],
  ["win32", ["rundll32", "url.dll,FileProtocolHandler", address]],
] as const)("on %s the system's own opener is told the address", async (platform, call) => {
  const { folder, told } = folderWith(call[0]);
  expect(await openInBrowser(address, { PATH: folder }, platform)).toBe(true);
  await expect.poll(told).toEqual(call);
});

test("the program that BROWSER names comes first, whatever stands in its name", async () => {
  const { folder, told } = folderWith("my browser");
  const env = { PATH: folder, BROWSER: join(folder, "my browser") };
  expect(await openInBrowser(address, env, "linux")).toBe(true);
  await expect.poll(told).toEqual(["my browser", address]);
});

test("the system's own opener is there where BROWSER cannot be started", async () => {
  const { folder, told } = folderWith("xdg-open");
  expect(await openInBrowser(address, { PATH: folder, BROWSER: "/none" }, "linux")).toBe(true);
  await expect.poll(told).toEqual(["xdg-open", address]);
});

test.each(["file:///etc/passwd", "javascript:alert(1)", "-x", "", "pay.example"])(
  "%j is not opened",
  async (other) => {
    expect(await openInBrowser(other, { BROWSER: "/bin/true" }, "linux")).toBe(false);
  },
);

test("where there is no opener, that is said and not raised", async () => {
  expect(await openInBrowser(address, { PATH: newHome() }, "linux")).toBe(false);
});
