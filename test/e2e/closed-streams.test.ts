import { describe, expect, test } from "vitest";
import { createHomeWithDatabase } from "../testkit/database/open-database.ts";
import {
  holding,
  json,
  paymentNumbers,
  refusal,
  scriptedServer,
} from "../testkit/client/scripted-server.ts";
import { endpointWith, paymentWith } from "../testkit/api-objects.ts";
import {
  createServiceEnv,
  parseError,
  runInShell,
  parseList,
  parsePayment,
  type Ran,
} from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

const formats = ["table", "json", "ndjson", "csv"];
const full = "The output cannot be written: ENOSPC: no space left on device, write";
const create = "payments create --amount 4999 --currency eur --test-card visa";

describe.concurrent("standard error", () => {
  const targets = [
    ["closed", (command: string) => `${command} 2>&-`],
    ["on a full disk", (command: string) => `${command} 2>/dev/full`],
    ["without a reader", (command: string) => `{ ${command} 2>&1 >&3 | true; } 3>&1`],
  ] as const;

  test.each(targets)("%s: the data is complete, exit 0", async (_, redirected) => {
    const server = await scriptedServer(holding(250));
    const env = createServiceEnv(server.url);
    const ran = await runInShell(redirected("payments list --limit 240 --json --debug"), { env });
    expect(parseList(ran).data).toEqual(paymentNumbers(1, 240));
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.each(targets)("%s: a failure has its exit code", async (_, redirected) => {
    const server = await scriptedServer(refusal(404, "resource_missing"));
    const env = createServiceEnv(server.url);
    const ran = await runInShell(redirected("payments get pay_0"), { env });
    expect(ran).toEqual({ stdout: "", stderr: "", exitCode: 5 });
  });
});

describe.concurrent("standard output on a full disk", () => {
  test.each(formats)("fails a list as %s, and nothing more is fetched", async (format) => {
    const server = await scriptedServer(holding(200));
    const env = createServiceEnv(server.url);
    const ran = await runInShell(`payments list --all -o ${format} >/dev/full`, { env });
    expect(ran.exitCode).toBe(9);
    expect(messageIn(ran, format)).toBe(`${full}.`);
    expect(server.requests).toHaveLength(format === "table" ? 2 : 1);
  });

  test.each(["--help", "mode"])("fails %s", async (command) => {
    const ran = await runInShell(`payments ${command} >/dev/full`);
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(full);
  });

  test("names the created payment, and the refunded one", async () => {
    const { id } = paymentWith();
    const refunded = paymentWith({ status: "refunded" });
    const server = await scriptedServer(
      json(201, paymentWith()),
      json(200, paymentWith()),
      json(200, refunded),
    );
    const env = createServiceEnv(server.url);
    const creating = await runInShell(`${create} --json >/dev/full`, { env });
    expect(creating.exitCode).toBe(9);
    expect(messageIn(creating, "json")).toBe(`${full}. The payment is ${id}, succeeded.`);
    const refunding = await runInShell(`payments refund ${id} --yes >/dev/full`, { env });
    expect(refunding.exitCode).toBe(9);
    expect(refunding.stderr).toContain(`${full}. The payment is ${id}, refunded.`);
  });

  test("says that the mode was switched all the same", async () => {
    const home = createTemporaryHome();
    const ran = await runInShell("payments mode live >/dev/full", { home });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(`${full}. The mode was switched to live.`);
  });

  test("names the command for another secret of an endpoint, in the same mode", async () => {
    const endpoint = endpointWith();
    const server = await scriptedServer(json(200, { ...endpoint, secret: "whsec_x" }));
    const roll = `payments webhooks roll ${endpoint.id} --mode test`;
    const ran = await runInShell(`${roll} >/dev/full`, { env: createServiceEnv(server.url) });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(`Make another one: ${roll}`);
  });

  test("names the new key that could not be printed", async () => {
    const home = await createHomeWithDatabase();
    const ran = await runInShell("payments keys create --mode live --name ci >/dev/full", { home });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toMatch(/The key key_[0-9a-f-]{36} was created, but could not be shown/);
    expect(ran.stderr).not.toContain("svc_live_sk_");
  });
});

describe.concurrent("closed streams", () => {
  test.each([">&-", "<&- >&- 2>&-"])("%s: a payment is made all the same", async (to) => {
    const server = await scriptedServer(json(201, paymentWith()));
    const ran = await runInShell(`${create} ${to}`, { env: createServiceEnv(server.url) });
    expect(ran).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { amount: 4999 },
    ]);
  });

  test("of input do not change commands that read no input", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const ran = await runInShell(`${create} --json <&-`, { env: createServiceEnv(server.url) });
    expect(parsePayment(ran)).toEqual(paymentWith());
  });
});

/** The error's message, in words or as JSON. */
function messageIn(ran: Ran, format: string): unknown {
  if (format === "json" || format === "ndjson") return parseError(ran)["message"];
  return /^Error: (.*)\n$/.exec(ran.stderr)?.[1];
}
