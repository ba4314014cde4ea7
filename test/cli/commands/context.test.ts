import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { accountWith } from "../../testkit/api-objects.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { parseError, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const production = "https://payments.example.com";
const staging = "https://staging.example.com";

/** A home with `default` and `staging`, of which `default` is in use. */
function openHome() {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  const place = { ...directories, context: "staging" };
  storeLogin(directories, "live", { baseUrl: production, key: someKeys.live }, keyringOfHome);
  storeMode(directories, "live");
  storeLogin(place, "test", { baseUrl: staging, key: someKeys.test }, keyringOfHome);
  const run = async (line: string, env: Record<string, string> = {}) =>
    runPayments(line.split(" "), { home, env });
  return { home, directories, place, run };
}

const ofDefault = {
  name: "default",
  base_url: production,
  modes: ["live"],
  mode: "live",
  in_use: true,
};
const ofStaging = {
  name: "staging",
  base_url: staging,
  modes: ["test"],
  mode: "test",
  in_use: false,
};
const ofEmbedded = {
  name: "embedded",
  base_url: "embedded",
  modes: ["test", "live"],
  mode: "test",
  in_use: false,
};

describe.concurrent("payments context list", () => {
  test("prints every context in each form", async () => {
    const { run } = openHome();
    expect(parsePrinted(await run("context list --json"))).toEqual({
      object: "list",
      data: [ofDefault, ofStaging, ofEmbedded],
    });
    const { stdout: lines } = await run("context list -o ndjson");
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(3);
    const { stdout: csv } = await run("context list -o csv");
    expect(csv).toMatch(/^name,base_url,modes,mode,in_use\ndefault,https:/);
    const { stdout: table } = await run("context list");
    expect(table).toMatch(
      /^NAME +SERVICE +KEYS +MODE +IN USE\ndefault +https:\S+ +live +live +yes\n/,
    );
  });

  test("has embedded in use on a new home, and names no other as in use than PAYMENTS_CONTEXT", async () => {
    const { stdout } = await runPayments(["context", "list", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      object: "list",
      data: [{ ...ofEmbedded, in_use: true }],
    });
    const { run } = openHome();
    const named = parsePrinted(await run("context list --json", { PAYMENTS_CONTEXT: "staging" }));
    expect((named["data"] as (typeof ofDefault)[]).map((each) => each.in_use)).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe.concurrent("payments context show", () => {
  test("is the list's entry and the API version, of the one in use or a named one", async () => {
    const { run } = openHome();
    const shown = async (line: string, env?: Record<string, string>) =>
      parsePrinted(await run(line, env));
    const version = { service_version: null };
    expect(await shown("context show --json")).toEqual({ ...ofDefault, ...version });
    expect(await shown("context show staging --json")).toEqual({ ...ofStaging, ...version });
    expect(await shown("context show --json", { PAYMENTS_CONTEXT: "staging" })).toEqual({
      ...ofStaging,
      ...version,
      in_use: true,
    });
  });

  test("prints the same JSON by both of its ways, and the same errors", async () => {
    const { run } = openHome();
    for (const words of ["", " staging", " stagin"]) {
      const short = await run(`context show${words} --json`);
      expect(await run(`context show${words} -o json`)).toEqual(short);
      expect(await run(`context show --json${words}`)).toEqual(short);
    }
    const blank = { PAYMENTS_CONTEXT: " " };
    expect(await run("context show --json", blank)).toEqual(
      await run("context show -o json", blank),
    );
    expect(parseError(await run("context show stagin --json"))).toMatchObject({
      message: "There is no such context: stagin.",
      hint: "Did you mean staging? payments context list shows them.",
    });
  });

  test("in words names the service, and never a key", async () => {
    const { run } = openHome();
    const { stdout } = await run("context show");
    expect(stdout).toMatch(
      /^Name +default\nService +https:\S+\nKeys +live\nMode +live\nIn use +yes\n/,
    );
    expect(stdout).not.toContain("3210");
  });
});

describe.concurrent("payments context use", () => {
  test("switches, prints the entry, and says where commands work", async () => {
    const { run } = openHome();
    expect(await run("context use staging")).toMatchObject({
      stderr: "Commands use staging (test) now.\n",
      exitCode: 0,
    });
    expect(parsePrinted(await run("context use staging --json"))).toEqual({
      ...ofStaging,
      in_use: true,
    });
    expect(parsePrinted(await run("whoami --offline --json"))).toMatchObject({
      context: "staging",
      mode: "test",
      base_url: staging,
      sources: { context: "stored", mode: "default", base_url: "stored" },
    });
  });

  test("says that PAYMENTS_CONTEXT names another one", async () => {
    const { run } = openHome();
    const env = { PAYMENTS_CONTEXT: "default" };
    expect((await run("context use staging", env)).stderr).toBe(
      "Stored staging, but PAYMENTS_CONTEXT names another one here.\n",
    );
    expect(parsePrinted(await run("context use staging --json", env))).toEqual(ofStaging);
  });

  test("embedded leaves a login without forgetting it", async () => {
    const { run } = openHome();
    await run("context use embedded");
    expect(parsePrinted(await run("whoami --offline --json"))).toMatchObject({
      context: "embedded",
      mode: "test",
    });
    await run("context use default");
    expect(parsePrinted(await run("whoami --offline --json"))).toMatchObject({
      context: "default",
      mode: "live",
      key: { last4: "3210" },
    });
  });

  test("refuses a name that there is not", async () => {
    expect(await openHome().run("context use stage")).toMatchObject({ stdout: "", exitCode: 2 });
  });
});

describe.concurrent("payments context rename", () => {
  test("prints the entry by its new name", async () => {
    const { run } = openHome();
    expect(parsePrinted(await run("context rename default production --json"))).toEqual({
      ...ofDefault,
      name: "production",
    });
    expect((await run("context rename staging production")).exitCode).toBe(6);
    for (const line of ["embedded x", "x y", "staging embedded", "staging A"]) {
      expect((await run(`context rename ${line}`)).exitCode).toBe(2);
    }
  });
});

describe.concurrent("payments context delete", () => {
  test("deletes a damaged one, too", async () => {
    const { run, home } = openHome();
    writeFileSync(join(home, "contexts", "staging", "login-test.json"), "{");
    expect(await run("context delete staging --yes")).toMatchObject({ exitCode: 0 });
    expect((await run("context show staging")).exitCode).toBe(2);
  });

  test("needs --yes where nobody can confirm, and refuses embedded", async () => {
    const { run, home } = openHome();
    expect(await run("context delete staging")).toMatchObject({
      stderr:
        "Error: Deleting a context needs --yes where it cannot be confirmed at a prompt. Nothing was deleted.\n",
      exitCode: 2,
    });
    expect((await run("context delete embedded --yes")).exitCode).toBe(2);
    expect(readdirSync(join(home, "contexts", "staging"))).toEqual(["login-test.json"]);
  });

  test("prints what it deleted, and puts embedded in the place of the one in use", async () => {
    const { run } = openHome();
    expect(parsePrinted(await run("context delete staging --yes --json"))).toEqual({
      name: "staging",
      deleted: true,
    });
    expect(await run("context delete default --yes")).toMatchObject({
      stdout: "Deleted default.\n",
      stderr: "Commands use the embedded service now.\n",
    });
    expect(parsePrinted(await run("context list --json"))["data"]).toEqual([
      { ...ofEmbedded, in_use: true },
    ]);
  });
});

const login = async (home: string, flags: string[], env: Record<string, string> = {}) => {
  const { url } = await scriptedServer(json(200, accountWith()));
  const args = ["login", "--base-url", url, ...flags];
  const stdin = someKeys.test.replace("0123", "9999");
  return { url, ran: await runPayments(args, { home, env, stdin }) };
};

describe.concurrent("login, logout and mode", () => {
  test("login --context makes a context, switches to nothing, and says how", async () => {
    const { home, run } = openHome();
    const { url, ran } = await login(home, ["--context", "dev", "--service-version", "2026-11-01"]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(/^Logged in to dev, http:\S+ with the test key …defg, stored in /);
    expect(ran.stderr).toMatch(/\nCommands use default; switch with payments context use dev\.\n$/);
    expect(parsePrinted(await run("context show dev --json"))).toMatchObject({
      base_url: url,
      in_use: false,
      service_version: "2026-11-01",
    });
  });

  test("login --context default in a home without one switches to nothing either", async () => {
    const home = createTemporaryHome();
    const { ran } = await login(home, ["--context", "default"]);
    expect(ran.stderr).toMatch(
      /\nCommands use embedded; switch with payments context use default\./,
    );
    const shown = await runPayments(["context", "show", "--json"], { home });
    expect(parsePrinted(shown)).toMatchObject({ name: "embedded" });
  });

  test("login heeds PAYMENTS_CONTEXT, and goes to the context in use without it", async () => {
    const { home, run } = openHome();
    const { ran } = await login(home, [], { PAYMENTS_CONTEXT: "dev" });
    expect(ran.stderr).toMatch(/^Logged in to dev, /);
    expect(ran.stderr).not.toContain("switch with");
    await run("context use staging");
    expect((await login(home, [])).ran).toMatchObject({
      stderr: expect.stringMatching(/^Error: The context staging is for https:/) as unknown,
      exitCode: 6,
    });
  });

  test("login makes default while embedded is in use, and puts it in use", async () => {
    const home = createTemporaryHome();
    await runPayments(["context", "use", "embedded"], { home });
    expect((await login(home, [])).ran).toMatchObject({
      stderr: expect.stringMatching(/^Logged in to http:/) as unknown,
      exitCode: 0,
    });
    const shown = await runPayments(["context", "show", "--json"], { home });
    expect(parsePrinted(shown)).toMatchObject({ name: "default" });
  });

  test("login is exit 2 for embedded, and where embedded is in use beside others, which it names", async () => {
    const { home, run } = openHome();
    await run("context use embedded");
    expect((await login(home, [])).ran).toMatchObject({
      stderr:
        "Error: The embedded service is in use, which needs no login. There is default and staging.\n  hint: Name the context to log in to, an old or a new one, with --context.\n",
      exitCode: 2,
    });
    expect((await login(home, ["--context", "embedded"])).ran.exitCode).toBe(2);
    expect((await login(home, ["--context", "Prod"])).ran.exitCode).toBe(2);
  });

  test("logout deletes a key of the named context alone, which stays without one", async () => {
    const { run } = openHome();
    expect(await run("logout --context staging")).toMatchObject({
      stderr:
        "Deleted the test key of staging.\nCommands in test mode of staging are refused until there is another one.\n",
      exitCode: 0,
    });
    expect(parsePrinted(await run("context show staging --json"))).toMatchObject({
      base_url: staging,
      modes: [],
    });
    expect((await run("list --context staging")).exitCode).toBe(4);
    expect((await run("logout --context stagin")).exitCode).toBe(2);
  });

  test("logout of the last key of the only context leaves the embedded service", async () => {
    const { run } = openHome();
    await run("context delete default --yes");
    await run("context use staging");
    expect((await run("logout")).stderr).toBe(
      "Deleted the test key of staging.\nCommands now use the embedded service.\n",
    );
    expect(parsePrinted(await run("context show --json"))).toMatchObject({ name: "embedded" });
  });

  test("mode is the context's", async () => {
    const { run } = openHome();
    expect((await run("mode --context staging")).stdout).toBe("test\n");
    expect(await run("mode test")).toMatchObject({
      stdout: "test\n",
      stderr: "No test key of default is stored: commands are refused until there is one.\n",
    });
    expect((await run("mode live --context staging --json")).stdout).toBe('{"mode":"live"}\n');
    expect((await run("mode")).stdout).toBe("test\n");
    expect((await run("mode", { PAYMENTS_CONTEXT: "staging" })).stdout).toBe("live\n");
  });
});

test("doctor checks the context in use, and with --all-contexts each", async () => {
  const [one, other] = [
    await scriptedServer(json(200, accountWith(), { "service-request-id": "req_1" })),
    await scriptedServer(json(200, accountWith(), { "service-request-id": "req_1" })),
  ];
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  const key = someKeys.test;
  storeLogin(directories, "test", { baseUrl: one.url, key }, keyringOfHome);
  const place = { ...directories, context: "staging" };
  storeLogin(place, "test", { baseUrl: other.url, key }, keyringOfHome);
  await runPayments(["doctor", "--context", "staging", "--json"], { home });
  expect([one.requests.length, other.requests.length]).toEqual([0, 1]);
  const ran = await runPayments(["doctor", "--all-contexts", "--json"], { home });
  const { object, failed, data } = JSON.parse(ran.stdout) as {
    object: string;
    failed: number;
    data: { context: string; object: string; checks: { detail: string }[]; failed: number }[];
  };
  expect([one.requests.length, other.requests.length]).toEqual([1, 2]);
  expect(object).toBe("list");
  expect(data.map(({ context }) => context)).toEqual(["default", "staging", "embedded"]);
  expect(data.map((each) => each.object)).toEqual(["doctor", "doctor", "doctor"]);
  expect(failed).toBe(data.reduce((sum, each) => sum + each.failed, 0));
  expect(JSON.stringify(data[1])).toContain(other.url);
  const table = await runPayments(["doctor", "--all-contexts"], { home });
  expect(table.stdout).toMatch(/^Context default\nThis machine\n/);
  expect(table.stdout).toContain("\nContext staging\n");
});
