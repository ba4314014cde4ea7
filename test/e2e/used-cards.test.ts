import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  drop,
  envelopeError,
  json,
  paymentWith,
  scriptedServer,
} from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";
import { createServiceEnv, runPayments, startPayments } from "../testkit/command/run-payments.ts";
import {
  canaryCard,
  canaryKey,
  leakingFiles,
  leaksIn,
  writtenCards,
} from "../testkit/deployment/canaries.ts";

const amount = ["--amount", "4999", "--currency", "eur"];
const rest = ["--exp-month", "12", "--exp-year", "2040", "--cvc", canaryCard.cvc];
const visa = ["create", ...amount, "--test-card", "visa"];
const body = JSON.stringify({ amount: 4999, currency: "eur", card: canaryCard });
const card = JSON.stringify(canaryCard);

/** Every source of a card. */
const ways: [way: string, args: string[], stdin?: string][] = [
  [
    "--card-number, in groups",
    [...amount, "--card-number", writtenCards["with spaces"] ?? "", ...rest],
  ],
  ["--card-file", [...amount, "--card-file", fileOf(card)]],
  ["--card-file -", [...amount, "--card-file", "-"], card],
  ["--data", ["--data", fileOf(body)]],
  ["--data -", ["--data", "-"], body],
];

describe.concurrent.each(ways)("a card from %s", (_, args, stdin = "") => {
  test("goes to the service in the body, and is neither printed nor stored, even with --debug", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const home = createTemporaryHome();
    const options = { home, env: createServiceEnv(server.url), stdin };
    const ran = await runPayments(["create", ...args, "--debug"], options);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('"number":"…1486"');
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expect(server.requests).toHaveLength(1);
    const { body: sent = "", ...request } = server.requests[0] ?? {};
    expect(JSON.parse(sent)).toMatchObject({ card: canaryCard });
    expect(leaksIn(JSON.stringify(request))).toEqual([]);
  });

  test("is masked by --dry-run, which sends and stores nothing", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const home = createTemporaryHome();
    const options = { home, env: createServiceEnv(server.url), stdin };
    const ran = await runPayments(["create", ...args, "--dry-run", "--debug"], options);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('"number": "…1486"');
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

test.concurrent.each(["--json", "--debug"])(
  "a card that the service repeats is not repeated (%s)",
  async (form) => {
    const { "in JSON": _, ...written } = writtenCards;
    const message = `No such card: ${Object.values(written).join(", ")}.`;
    const error = { ...envelopeError, message, param: `card[${canaryCard.number}]` };
    const server = await scriptedServer(json(400, { error }, { "x-card": canaryCard.number }));
    const args = ["create", "--data", "-", form, "--idempotency-key", "5"];
    const ran = await runPayments(args, { env: createServiceEnv(server.url), stdin: body });
    expect(ran.exitCode).toBe(2);
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
  },
);

test.concurrent("the embedded service stores no card, not even in the log of a database that was cut off", async () => {
  const home = createTemporaryHome();
  const child = startPayments(["create", "--data", "-", "--wait", "--debug"], {
    home,
    stdin: body,
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await vi.waitUntil(() => stderr.includes("< 201"), { timeout: 120_000 });
  child.kill("SIGKILL");
  expect(statSync(join(home, "payments.db-wal")).size).toBeGreaterThan(0);
  expect(leakingFiles(home)).toEqual([]);
  const listed = await runPayments(["list", "--json", "--debug"], { home });
  expect(listed.stdout).toContain('"last4":"1486"');
  expect(leaksIn(stderr + listed.stdout + listed.stderr)).toEqual([]);
  expect(leakingFiles(home)).toEqual([]);
});

describe.concurrent("the caller's own text is not masked where it must stay unchanged:", () => {
  test("a description is stored and returned exactly, but masked by --debug and --dry-run", async () => {
    const home = createTemporaryHome();
    const description = `Order 1001, ${canaryKey}`;
    const args = [...visa, "--json", "--debug"];
    const ran = await runPayments([...args, "--description", description], { home });
    expect(JSON.parse(ran.stdout)).toMatchObject({ description });
    expect(leaksIn(ran.stderr)).toEqual([]);
    expect(leakingFiles(home).filter((name) => !name.startsWith("payments.db"))).toEqual([]);
    const withCard = `Order 1001, ${writtenCards["with dots"]}, ${canaryKey}`;
    const dryRun = await runPayments([...args, "--description", withCard, "--dry-run"], { home });
    expect(dryRun.stdout).toContain("Order 1001, …, svc_live_sk_…");
    expect(leaksIn(dryRun.stdout + dryRun.stderr)).toEqual([]);
  });

  test("an idempotency key is printed as it was typed, so that the command can be repeated", async () => {
    const server = await scriptedServer(drop);
    const key = "4000-0000-1111-2222"; // as long as a card number, but not one
    const named = ["--idempotency-key", key, "--max-retries", "0", "--debug"];
    const ran = await runPayments([...visa, ...named], { env: createServiceEnv(server.url) });
    expect(ran.exitCode).toBe(9);
    const [traffic = "", error = ""] = ran.stderr.split("Error:");
    expect(leaksIn(traffic)).toEqual([]);
    expect(error).toContain(`Run the same command with --idempotency-key ${key}:`);
  });
});

describe.concurrent("a card number in a stored field is refused, and neither stored nor printed:", () => {
  const { "with dots": _, ...refused } = writtenCards; // no card has groups separated by dots
  test.each(Object.entries(refused))("in a description, %s", async (_way, written) => {
    const home = createTemporaryHome();
    const ran = await runPayments([...visa, "--description", `Paid with ${written}`], { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain("description must not hold a card number");
    expect(leaksIn(ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
  });

  test("as an idempotency key", async () => {
    const server = await scriptedServer(drop);
    const args = [...visa, "--idempotency-key", canaryCard.number];
    const ran = await runPayments(args, { env: createServiceEnv(server.url) });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain("--idempotency-key must not hold a card number");
    expect(leaksIn(ran.stderr)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

function fileOf(content: string): string {
  const file = join(createTemporaryHome(), "input.json");
  writeFileSync(file, content);
  return file;
}
