import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import type { Mode } from "../../../src/contract/key.ts";
import {
  accountWith,
  json,
  scriptedServer,
  type ScriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { newHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { answerTo, id, run } from "../../testkit/command/every-call.ts";
import {
  against,
  errorIn,
  printed,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

type Given = {
  args?: string[];
  env?: Record<string, string>;
  keyInFile?: Mode;
  storedMode?: Mode;
  logins?: Mode[];
};
const commands = {
  list: ["list", "--json"],
  create: ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"],
};

/** Runs a command with what is given, against a service that answers with data of a mode. */
async function runWith(call: "list" | "create", given: Given, answered: Mode = "test") {
  const { args = [], env = {}, keyInFile, storedMode, logins = [] } = given;
  const server = await scriptedServer(json(200, answerTo(call, { livemode: answered === "live" })));
  const home = newHome();
  const directories = { config: home, data: home };
  if (storedMode) storeMode(directories, storedMode);
  for (const mode of logins) {
    storeLogin(directories, mode, { baseUrl: server.url, key: someKeys[mode] }, keyringOfHome);
  }
  const file = join(home, "key.txt");
  if (keyInFile) writeFileSync(file, someKeys[keyInFile]);
  const all = [...commands[call], ...args, ...(keyInFile ? ["--api-key-file", file] : [])];
  const ran = await runPayments(all, { home, env: { PAYMENTS_BASE_URL: server.url, ...env } });
  return { ran, server };
}
const ofTest = { PAYMENTS_API_KEY: someKeys.test };
const ofLive = { PAYMENTS_API_KEY: someKeys.live };

describe.concurrent("where mode and key contradict each other, list and create send nothing: exit 4,", () => {
  test.each<[what: string, given: Given, message: RegExp]>([
    ["a flag", { args: ["--mode", "live"], env: ofTest }, /^The mode is live, but .+ a test key/],
    [
      "a variable, and a key in a file",
      { env: { PAYMENTS_MODE: "test" }, keyInFile: "live" },
      /^The mode is test, but the key from \S+key\.txt is a live key/,
    ],
    [
      "a flag, whatever the variable and the stored mode agree on",
      { args: ["--mode", "test"], env: { PAYMENTS_MODE: "live", ...ofLive }, storedMode: "live" },
      /^The mode is test, but .+ a live key/,
    ],
    [
      "a stored mode that has no stored key",
      { storedMode: "live", logins: ["test"] },
      /^There is no live key for http/,
    ],
  ])("where it is %s", async (_, given, message) => {
    for (const { ran, server } of await Promise.all([
      runWith("list", given),
      runWith("create", given),
    ])) {
      expect(ran.exitCode).toBe(4);
      expect(errorIn(ran)).toMatchObject({ code: "key", http_status: null, retryable: false });
      expect(errorIn(ran)["message"]).toMatch(message);
      expect(server.requests).toEqual([]);
    }
  });
});

describe.concurrent("where mode and key agree, list and create work", () => {
  test.each<[mode: Mode, what: string, given: Given]>([
    ["test", "the stored key, where nothing says a mode", { logins: ["test", "live"] }],
    ["live", "the stored key of the stored mode", { storedMode: "live", logins: ["test", "live"] }],
    [
      "test",
      "the mode that a key's prefix says, not the stored one",
      { storedMode: "live", env: ofTest },
    ],
    [
      "live",
      "the variable's mode, not the stored one",
      { env: { PAYMENTS_MODE: "live", ...ofLive }, storedMode: "test", logins: ["test"] },
    ],
    [
      "live",
      "the key in a file, not the variable's",
      { args: ["--mode", "live"], env: { PAYMENTS_MODE: "test", ...ofTest }, keyInFile: "live" },
    ],
  ])("in %s mode with %s", async (mode, _, given) => {
    for (const { ran, server } of await Promise.all([
      runWith("list", given, mode),
      runWith("create", given, mode),
    ])) {
      expect(JSON.stringify(printed(ran))).toContain(`"livemode":${mode === "live"}`);
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        `Bearer ${someKeys[mode]}`,
      ]);
    }
  });
});

describe.concurrent("a first answer of the other mode is exit 4, and nothing is printed as data:", () => {
  test.each<["list" | "get" | "create" | "refund", string[], string | undefined]>([
    ["list", ["--json", "--all"], undefined],
    ["list", ["-o", "ndjson"], undefined],
    ["get", ["--json"], undefined],
    ["create", ["--json", "--wait"], id],
    ["refund", ["--json"], id],
  ])("%s %j", async (call, args, written) => {
    const ran = await run(call, json(200, answerTo(call, { livemode: true })), ...args);
    expectMismatch(ran, "test", written);
    expect(ran.tries).toBe(1);
  });

  test("a live key answered with test data, in words too", async () => {
    const server = await scriptedServer(json(200, answerTo("create")));
    const args = commands.create;
    const env = against(server.url, someKeys.live);
    const [asJson, inWords] = await Promise.all([
      runPayments(args, { env }),
      runPayments(args.slice(0, -1), { env }),
    ]);
    expectMismatch(asJson, "live", id);
    expect(inWords).toEqual({
      stdout: "",
      stderr: `Error: The service answered a live key with test data (${id}).\n  hint: Do not trust this service: check the base URL and the key.\n`,
      exitCode: 4,
    });
  });

  test("a payment to refund, which then is not refunded", async () => {
    const server = await scriptedServer(json(200, answerTo("get", { livemode: true })));
    const ran = await runPayments(["refund", id, "--yes", "--json"], { env: against(server.url) });
    expectMismatch(ran, "test", undefined);
    expect(methodsOf(server)).toEqual(["GET"]);
  });

  test("what whoami asks for", async () => {
    const server = await scriptedServer(json(200, accountWith({ livemode: true })));
    const ran = await runPayments(["whoami", "--json"], { env: against(server.url) });
    expectMismatch(ran, "test", undefined);
    expect(server.requests).toHaveLength(1);
  });
});

function methodsOf({ requests }: ScriptedServer): string[] {
  return requests.map(({ method }) => method);
}

function expectMismatch(ran: Ran, mode: Mode, written: string | undefined): void {
  const other = mode === "test" ? "live" : "test";
  expect(ran.exitCode).toBe(4);
  expect(errorIn(ran)).toMatchObject({
    code: "mode_mismatch",
    retryable: false,
    http_status: null,
    message: `The service answered a ${mode} key with ${other} data${written ? ` (${written})` : ""}.`,
  });
}
