import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInBrowser } from "../../../src/cli/output/open-in-browser.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const address = "https://pay.example/pay/t?a=1&b=$(touch)";

/** A folder with one program, which records its name and arguments. */
function createFolder(program: string) {
  const folder = createTemporaryHome();
  const seen = join(folder, "seen");
  const script = `#!/bin/sh\nprintf '%s\\n' "\${0##*/}" "$@" > '${seen}.part'; /bin/mv '${seen}.part' '${seen}'\n`;
  writeFileSync(join(folder, program), script, { mode: 0o755 });
  const readSeen = () => readFileSync(seen, "utf8").trimEnd().split("\n");
  return { folder, readSeen };
}

test.each([
  ["darwin", ["open", address]],
  ["linux", ["xdg-open", address]],
  ["freebsd", ["xdg-open", address]],
  ["win32", ["rundll32", "url.dll,FileProtocolHandler", address]],
] as const)("on %s the system's own opener is given the address", async (platform, call) => {
  const { folder, readSeen } = createFolder(call[0]);
  expect(await openInBrowser(address, { PATH: folder }, platform)).toBe(true);
  await expect.poll(readSeen).toEqual(call);
});

test("the program in BROWSER comes first, whatever characters its name has", async () => {
  const { folder, readSeen } = createFolder("my browser");
  const env = { PATH: folder, BROWSER: join(folder, "my browser") };
  expect(await openInBrowser(address, env, "linux")).toBe(true);
  await expect.poll(readSeen).toEqual(["my browser", address]);
});

test("the system's opener is used if BROWSER cannot be started", async () => {
  const { folder, readSeen } = createFolder("xdg-open");
  expect(await openInBrowser(address, { PATH: folder, BROWSER: "/none" }, "linux")).toBe(true);
  await expect.poll(readSeen).toEqual(["xdg-open", address]);
});

test.each(["file:///etc/passwd", "javascript:alert(1)", "-x", "", "pay.example"])(
  "%j is not opened",
  async (other) => {
    expect(await openInBrowser(other, { BROWSER: "/bin/true" }, "linux")).toBe(false);
  },
);

test("without an opener it returns false and raises no error", async () => {
  expect(await openInBrowser(address, { PATH: createTemporaryHome() }, "linux")).toBe(false);
});

test("the browser receives only the address: neither the key nor the database", async () => {
  const folder = createTemporaryHome();
  const [browser, seen] = [join(folder, "browser"), join(folder, "seen")];
  const script = `#!/bin/sh\n/usr/bin/env > '${seen}.part'; /bin/mv '${seen}.part' '${seen}'\n`;
  writeFileSync(browser, script, { mode: 0o755 });
  const otherVariables = {
    BROWSER: browser,
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/bus",
    DISPLAY: ":0",
    HOME: folder,
    HTTPS_PROXY: "http://proxy.example:3128",
    LANG: "de_DE.UTF-8",
    PATH: folder,
    WAYLAND_DISPLAY: "wayland-0",
    XDG_RUNTIME_DIR: "/run/user/1000",
  };
  const own = {
    PAYMENTS_API_KEY: "svc_live_sk_secret",
    PAYMENTS_BASE_URL: "https://payments.example",
    PAYMENTS_DATABASE: "postgres://payments:secret@db/payments",
    PAYMENTS_HOME: folder,
    PAYMENTS_LATER: "secret",
    PGPASSFILE: "/secret",
    PGPASSWORD: "secret",
    pgpassword: "secret",
  };
  expect(await openInBrowser(address, { ...own, ...otherVariables }, "linux")).toBe(true);
  const readSeen = () => readFileSync(seen, "utf8").trimEnd().split("\n");
  await expect
    .poll(() =>
      readSeen()
        .filter((line) => !/^(?:PWD|SHLVL|OLDPWD|_)=/.test(line))
        .toSorted(),
    )
    .toEqual(Object.entries(otherVariables).map(([name, value]) => `${name}=${value}`));
});
