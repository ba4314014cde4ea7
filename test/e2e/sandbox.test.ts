import { once } from "node:events";
import { expect, test } from "vitest";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";
import { runInShell, startPayments } from "../testkit/command/run-payments.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { openRecordingReceiver } from "../testkit/sandbox/recording-receiver.ts";
import { freePort } from "../testkit/sockets/free-port.ts";

// `payments sandbox` from a shell, without a terminal.

/** Starts a sandbox, runs a script with its address, ends it, and gives all that they printed. */
async function runWithSandbox(port: number, script: string) {
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
  const ran = await runInShell(`set -e\npayments login --sandbox 2>/dev/null\n${script}`, {
    home,
    env,
  });
  expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
  sandbox.kill("SIGTERM");
  expect(await once(sandbox, "close")).toEqual([0, null]);
  return printed + ran.stdout;
}

test("two runs of a script with a seed print the same bytes, and deliver the same", async () => {
  const receiver = await openRecordingReceiver((_, earlier) => (earlier === 0 ? 503 : 200));
  const create = "payments create --json --amount 4999 --currency eur --test-card";
  const script = `
    payments webhooks create --json --url ${receiver.url("/hooks")} --idempotency-key hooks
    payments sandbox fault --json "POST /v1/payments" lost-answer
    ${create} visa --idempotency-key order-1
    ${create} insufficient-funds --idempotency-key order-2
    payments create --json --hosted --amount 100 --currency usd --idempotency-key page-1
    payments sandbox clock --json --advance 25h
    ${create} visa --idempotency-key order-1
    payments list --json
    payments events list --json
    payments sandbox account --json --name Shop
    payments sandbox requests --json
  `;
  const port = await freePort();
  const runs = [];
  for (let count = 0; count < 2; count++) {
    receiver.arrivals.length = 0;
    const printed = await runWithSandbox(port, script);
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
