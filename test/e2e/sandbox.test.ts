import { once } from "node:events";
import { expect, test } from "vitest";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { runPayments, startPayments } from "../testkit/command/run-payments.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { openRecordingReceiver } from "../testkit/service/webhooks.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";

// `payments sandbox` in a process of its own, without a terminal.

/** Starts a sandbox, runs commands with its address, ends it, and gives all that they printed. */
async function runWithSandbox(port: number, commands: string[][]) {
  const home = createTemporaryHome();
  const argv = ["sandbox", "--clock", "manual", "--seed", "7", "--port", String(port), "--json"];
  const sandbox = startPayments(argv, { home });
  openUntilFileEnds(() => sandbox.kill("SIGKILL"));
  let printed = "";
  let problem = "";
  sandbox.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  sandbox.stderr.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  await expect.poll(() => printed + problem).toContain("\n");
  expect(problem).toBe("");
  const env = { PAYMENTS_BASE_URL: `http://127.0.0.1:${port}` };
  await runPayments(["login", "--sandbox"], { home, env });
  for (const args of commands) {
    const ran = await runPayments([...args, "--json"], { home, env });
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    printed += ran.stdout;
  }
  sandbox.kill("SIGTERM");
  expect(await once(sandbox, "close")).toEqual([0, null]);
  return printed;
}

const create = (card: string, key: string) =>
  `create --amount 4999 --currency eur --test-card ${card} --idempotency-key ${key}`.split(" ");

test("two runs of the same commands with a seed print the same bytes, and deliver the same", async () => {
  const receiver = await openRecordingReceiver((_, earlier) => (earlier === 0 ? 503 : 200));
  const commands = [
    ["webhooks", "create", "--url", receiver.url("/hooks"), "--idempotency-key", "hooks"],
    ["sandbox", "fault", "POST /v1/payments", "lost-answer"],
    create("visa", "order-1"),
    create("insufficient-funds", "order-2"),
    "create --hosted --amount 100 --currency usd --idempotency-key page-1".split(" "),
    ["sandbox", "clock", "--advance", "25h"],
    create("visa", "order-1"),
    ["list"],
    ["events", "list"],
    ["sandbox", "account", "--name", "Shop"],
    ["sandbox", "requests"],
  ];
  const port = await freePort();
  const runs = [];
  for (let count = 0; count < 2; count++) {
    receiver.arrivals.length = 0;
    const printed = await runWithSandbox(port, commands);
    const sent = receiver.arrivals.map(({ at, body, headers }) => [
      at,
      body,
      headers["webhook-id"],
      headers["webhook-signature"],
    ]);
    runs.push({ printed, sent });
  }
  const [first, second] = runs;
  expect(second).toEqual(first);

  const printed =
    first?.printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object) ?? [];
  const created = printed.filter((each) => "livemode" in each && "amount" in each);
  const ids = created.map((each) => ("id" in each ? each.id : undefined));
  // The lost answer took effect once; the next day its key had been forgotten.
  expect(new Set(ids).size).toBe(4);
  const journal = printed.at(-1) as { data: { idempotency_key: string; replayed: boolean }[] };
  const keyed = journal.data.filter(({ idempotency_key: key }) => key === "order-1");
  expect(keyed.map(({ replayed }) => replayed)).toEqual([false, true, false]);
  const expired = receiver.arrivals.find(
    ({ event }) => event.data.object.decline_code === "hpp_expired",
  );
  expect((expired?.at ?? 0) - 1_800_000_000).toBe(24 * 3_600);
});
