import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiKey, KeyGrant } from "../../../../src/contract/administration.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import {
  body,
  listening,
  openSandbox,
  requestJson,
} from "../../../testkit/client/running-service.ts";
import {
  createServiceEnv,
  parseError,
  parsePrinted,
  runPayments,
} from "../../../testkit/command/run-payments.ts";
import { listenPayments } from "../../../testkit/command/running-commands.ts";
import { createHomeWithDatabase } from "../../../testkit/database/open-database.ts";
import { openUntilFileEnds } from "../../../testkit/open-until-file-ends.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";

// Keys that may less than everything, and the commands that use them.

const create = ["keys", "create", "--mode", "live", "--name", "ci"];

describe.concurrent("payments keys create", () => {
  test("makes a key that may less, which keys list shows", async () => {
    const home = await createHomeWithDatabase();
    const args = ["--can", "refund, read", "--can", "read", "--max-refund", "5000"];
    const key = parsePrinted(await runPayments([...create, ...args, "--json"], { home }));
    expect(Object.keys(key).slice(-2)).toEqual(["permissions", "max_refund"]);
    expect(key).toMatchObject({
      permissions: ["read", "refund"],
      max_refund: 5_000,
      expires_at: null,
    });
    await runPayments(create, { home });
    const { stdout } = await runPayments(["keys", "list"], { home });
    expect(stdout).toMatch(
      / STATE +MAY\n.* active +read, refund \(at most 5000\)\n.* everything\n$/,
    );
    const inWords = await runPayments([...create, "--can", "read,create"], { home });
    expect(inWords.stdout).toMatch(/\nState +active\nMay +create, read\n$/);
  });

  test.each([
    ["30d", 30 * 86_400],
    ["90s", 90],
  ])("lets a key expire after %s, and its successor at the same time", async (expires, seconds) => {
    const home = await createHomeWithDatabase();
    const from = Math.floor(Date.now() / 1000);
    const args = [...create, "--can", "read", "--expires", expires, "--json"];
    const key = parsePrinted(await runPayments(args, { home })) as ApiKey;
    expect(key.expires_at).toBeGreaterThanOrEqual(from + seconds);
    expect(key.expires_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + seconds);
    const roll = ["keys", "roll", key.id, "--overlap", "10s"];
    const rolled = parsePrinted(await runPayments([...roll, "--json"], { home })) as ApiKey;
    expect(rolled).toMatchObject({ permissions: ["read"], max_refund: null });
    expect(rolled.expires_at).toBe(key.expires_at);
    const again = await runPayments(["keys", "roll", rolled.id], { home });
    expect(again.stderr).toMatch(/^The new key ends when the old one would have: \d{4}-/);
  });

  test("lets a key expire at a time to come", async () => {
    const home = await createHomeWithDatabase();
    const ran = await runPayments([...create, "--expires", "2100-01-02T03:04:05Z", "--json"], {
      home,
    });
    expect(parsePrinted(ran)["expires_at"]).toBe(Date.UTC(2100, 0, 2, 3, 4, 5) / 1000);
  });

  test.each([
    [["--can", "write"], "--can must be one or more of create, read, refund, webhooks"],
    [["--can", ""], "--can is empty."],
    [["--can", "read,"], "--can must be one or more of"],
    [["--max-refund", "0"], "at least 1"],
    [["--max-refund", "49.99"], "an integer"],
    [["--expires", "2020-01-01"], "--expires must be a time to come."],
    [["--expires", "0s"], "--expires must be a time to come."],
    [["--expires", "soon"], "--expires is no time."],
    [["--expires", "99999999d"], "--expires must be before the year 10000, such as in 365 days"],
    [["--expires", "253402300800"], "--expires must be before the year 10000"],
  ])("refuses %j, and makes no key", async (args, message) => {
    const home = await createHomeWithDatabase();
    const ran = await runPayments([...create, ...args, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain(message);
    expect(parsePrinted(await runPayments(["keys", "list", "--json"], { home }))["data"]).toEqual(
      [],
    );
  });
});

let server: Awaited<ReturnType<typeof listening>>;
beforeAll(async () => {
  server = await listening({ processingTimeMs: 50 }, {}, openUntilFileEnds);
});

/** Runs a command with a key that may so much. */
async function runWith(grant: Partial<KeyGrant>, args: string[], home?: string) {
  const { key } = await server.service.createKey({ mode: "test", name: "ci", ...grant });
  const env = createServiceEnv(server.url, key);
  return await runPayments(args, { env, ...(home !== undefined && { home }) });
}

const pay = async () => requestJson(server, "/v1/payments", body);
const readPayments = async () =>
  (
    (await requestJson(server, "/v1/payments?limit=100", undefined)) as unknown as {
      data: Payment[];
    }
  ).data;
const visa = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];

describe("a command with a key that may not", () => {
  test.each([
    ["create", ["read"], ["create", ...visa]],
    ["read", ["create"], ["create", ...visa, "--wait"]],
    ["read", ["create"], ["create", ...visa, "--expect", "succeeded"]],
    ["read", ["create"], ["list"]],
    ["webhooks", ["create", "read"], ["webhooks", "create", "--url", "https://shop.example"]],
    ["webhooks", ["read"], ["listen"]],
  ] as const)(
    "names the permission %s, ends with 4, and has done nothing",
    async (lacks, permissions, args) => {
      const before = await readPayments();
      const ran = await runWith({ permissions }, [...args, "--json"]);
      expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
      expect(parseError(ran)).toMatchObject({
        type: "permission_error",
        code: "permission_denied",
        message: expect.stringContaining(`permission ${lacks}`) as unknown,
        param: null,
        http_status: 403,
        retryable: false,
        hint: expect.stringContaining("payments whoami") as unknown,
      });
      expect(await readPayments()).toEqual(before);
    },
  );

  test.each([
    [{ permissions: ["create"] }, "payment.succeeded", "lacks the permission read"],
    [{ permissions: ["create"] }, "payment.failed", "lacks the permission read"],
    [{ permissions: ["read"] }, "payment.pending", "lacks the permission create"],
    [{ permissions: ["create", "read"] }, "payment.refunded", "lacks the permission refund"],
    [
      { max_refund: 4_998 },
      "payment.refunded",
      "may refund at most 4998 in minor units, and not 4999",
    ],
  ] as const)("of %j triggers no %s, and makes no payment", async (grant, event, what) => {
    const before = await readPayments();
    const ran = await runWith(grant, ["trigger", event, "--json"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
    expect(parseError(ran)).toMatchObject({
      message: `This API key ${what}. Nothing was sent.`,
      hint: expect.stringContaining("payments whoami") as unknown,
    });
    expect(await readPayments()).toEqual(before);
  });

  test("triggers what it may", async () => {
    const pending = await runWith({ permissions: ["create"] }, ["trigger", "payment.pending"]);
    const refunded = await runWith({ max_refund: 4_999 }, ["trigger", "payment.refunded"]);
    expect([pending.exitCode, refunded.exitCode]).toEqual([0, 0]);
  });

  test.each([
    [{ permissions: ["read", "refund"] }, "lacks the permission create"],
    [{ permissions: ["create", "refund"] }, "lacks the permission read"],
    [{ permissions: ["create", "read"] }, "lacks the permission refund"],
    [{ max_refund: 4_999 }, "may refund at most 4999 in minor units, and not 5000"],
    [{ max_refund: 5_000 }, undefined],
  ] as const)("of %j makes all fixtures, or none: %s", async (grant, what) => {
    const order = { amount: 5_000, currency: "eur", test_card: "visa" };
    const steps = [
      { name: "order", create: order, expect: "succeeded" },
      { name: "paid", wait: "${order.id}" },
      { refund: "${paid.id}" },
    ];
    const before = await readPayments();
    const file = join(createTemporaryHome(), "fixtures.json");
    writeFileSync(file, JSON.stringify({ fixtures: steps }));
    const ran = await runWith(grant, ["fixtures", file, "--json"]);
    expect(ran.exitCode).toBe(what === undefined ? 0 : 4);
    if (what === undefined) return;
    expect(parseError(ran)["message"]).toBe(`This API key ${what}. Nothing was sent.`);
    expect(await readPayments()).toEqual(before);
  });

  test("refunds nothing: without a permission, or above its limit", async () => {
    const { id } = await pay();
    const refund = ["refund", id, "--yes", "--json"];
    for (const [grant, code] of [
      [{ permissions: ["refund"] }, "permission_denied"],
      [{ permissions: ["read"] }, "permission_denied"],
      [{ permissions: ["read", "refund"], max_refund: 4_998 }, "refund_limit_exceeded"],
    ] as const) {
      const ran = await runWith(grant, refund);
      expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
      expect(parseError(ran)).toMatchObject({ type: "permission_error", code });
    }
    expect(await requestJson(server, `/v1/payments/${id}`)).toMatchObject({ status: "succeeded" });
    const ran = await runWith({ permissions: ["read", "refund"], max_refund: 4_999 }, refund);
    expect(parsePrinted(ran)).toMatchObject({ id, status: "refunded" });
  });

  test("pays no page", async () => {
    const page = await requestJson(server, "/v1/payments/hpp", { amount: 1, currency: "eur" });
    for (const named of [page.id, page.redirect_url ?? ""]) {
      const args = ["pay", named, "--test-card", "visa", "--json"];
      for (const [lacks, permissions] of [
        ["read", ["create"]],
        ["create", ["read"]],
      ] as const) {
        const ran = await runWith({ permissions }, args);
        expect([named, ran.exitCode]).toEqual([named, 4]);
        expect(parseError(ran)["message"]).toContain(`permission ${lacks}`);
      }
    }
    expect(await requestJson(server, `/v1/payments/${page.id}`)).toMatchObject({
      status: "pending",
    });
    const args = ["pay", page.id, "--test-card", "visa", "--json"];
    expect((await runWith({ permissions: ["create", "read"] }, args)).exitCode).toBe(0);
  });

  test("is said by whoami, and by login, with any key", async () => {
    const grant = { permissions: ["webhooks"], max_refund: 7 } as const;
    const whoami = parsePrinted(await runWith(grant, ["whoami", "--json"]));
    expect(whoami).toMatchObject({ accepted: true, ...grant });
    const inWords = await runWith({ permissions: ["read", "refund"], max_refund: 7 }, ["whoami"]);
    expect(inWords.stdout).toMatch(/\nMay +read, refund \(at most 7\)\n/);
    const { key } = await server.service.createKey({ mode: "test", name: "ci", ...grant });
    const login = await runPayments(["login", "--base-url", server.url], {
      home: createTemporaryHome(),
      stdin: key,
    });
    expect(login.exitCode).toBe(0);
    expect(login.stderr).toContain("\nThis key may not do everything, but: webhooks.\n");
  });
});

test("a key that may webhooks alone listens, also with the listener that it has made before", async () => {
  const permissions = ["webhooks"] as const;
  const { key } = await server.service.createKey({ mode: "test", name: "ci", permissions });
  const options = { home: createTemporaryHome(), env: createServiceEnv(server.url, key) };
  for (let time = 0; time < 2; time++) {
    const command = listenPayments([], options);
    await command.says(/^Listening to/);
    const { id } = await pay();
    await command.shows(new RegExp(`payment\\.succeeded .+${id}`));
    expect((await command.end("SIGINT")).exitCode).toBe(0);
  }
});

test("payments sandbox account makes one whose keys may less", async () => {
  const { sandbox } = await openSandbox();
  const env = { PAYMENTS_BASE_URL: sandbox.url };
  const args = ["sandbox", "account", "--can", "read,refund", "--max-refund", "100", "--json"];
  const { keys } = parsePrinted(await runPayments(args, { env })) as { keys: { test: string } };
  const whoami = await runPayments(["whoami", "--json"], {
    env: createServiceEnv(sandbox.url, keys.test),
  });
  expect(parsePrinted(whoami)).toMatchObject({
    permissions: ["read", "refund"],
    max_refund: 100,
  });
  // The control of the sandbox asks for no permission.
  const clock = await runPayments(["sandbox", "clock", "--json"], {
    env: createServiceEnv(sandbox.url, keys.test),
  });
  expect(clock.exitCode).toBe(0);
  const refused = await runPayments(["sandbox", "account", "--can", "all"], { env });
  expect(refused.exitCode).toBe(2);
  const response = await fetch(`${sandbox.url}/sandbox/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.test}`, "content-type": "application/json" },
    body: JSON.stringify({ permissions: ["Read"] }),
  });
  expect(await response.json()).toMatchObject({
    error: {
      message: expect.stringMatching(/permissions\S* must be one of create, read,/) as unknown,
      param: "permissions[0]",
    },
  });
  const inCode = await sandbox.createAccount({ permissions: ["read"], max_refund: 5 });
  const account = await fetch(`${sandbox.url}/v1/account`, {
    headers: { authorization: `Bearer ${inCode.keys.live}` },
  });
  expect(await account.json()).toMatchObject({ permissions: ["read"], max_refund: 5 });
});
