import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Activity } from "../../../src/contract/administration.ts";
import { refundPlan, refundResult, refundRun } from "../../../src/contract/refund-run.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import {
  type Answer,
  drop,
  forward,
  forwardAndDrop,
  json,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { watchPayments } from "../../testkit/command/running-commands.ts";
import { keys, requireTerminals, runInTerminal } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parsePayment,
  parsePrinted,
  type Ran,
  runInShell,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const service = runningService({ processingTimeMs: 60_000 });
const unknownId = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
const yes = ["--yes", "--max-total", "1000.00EUR"];

function writeFile(...lines: string[]): string {
  const file = join(createTemporaryHome(), "payments.csv");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function pay(count: number, mode: "test" | "live" = "test"): Promise<string[]> {
  const { payments } = service.client({ apiKey: service.keys[mode] });
  const paid = Array.from({ length: count }, async () => payments.create(body));
  return (await Promise.all(paid)).map(({ id }) => id);
}

async function refundFrom(file: string, args: string[], { url = service.url, stdin = "" } = {}) {
  const env = createServiceEnv(url, service.keys.test);
  return await runPayments(["refund", "--from", file, ...args], { env, stdin });
}

/** The lines of a run with JSON: the results, and the sum of the run. */
function parseRun({ stdout }: Ran) {
  const lines = stdout.trimEnd().split("\n");
  const all = lines.map((line) => JSON.parse(line) as unknown);
  const results = all.slice(0, -1).map((line) => refundResult.parse(line));
  return { results, run: refundRun.parse(all.at(-1)) };
}

const errorOf = ({ stderr }: Ran) =>
  (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
const statusOf = async (id: string) => (await service.client().payments.retrieve(id)).status;

describe.concurrent("payments refund --from", () => {
  test("refunds the payments of a file once, and says of each what became of it", async () => {
    const [one = "", two = "", three = ""] = await pay(3);
    const { payments } = service.client();
    await payments.refund(two);
    const failing = await payments.create({ ...body, card: declining });
    const [live = ""] = await pay(1, "live");
    const file = writeFile("id", one, two, failing.id, live, unknownId, three, one);
    const ran = await refundFrom(file, [...yes, "--concurrency", "1", "--run", "r1", "--json"]);
    const line = { amount: 4999, currency: "eur", error: null };
    const missing = { amount: null, currency: null, result: "refused", error: "resource_missing" };
    expect(parseRun(ran)).toEqual({
      results: [
        { ...line, id: one, result: "refunded" },
        { ...line, id: two, result: "already" },
        { ...line, id: failing.id, result: "refused", error: "payment_not_refundable" },
        { ...missing, id: live },
        { ...missing, id: unknownId },
        { ...line, id: three, result: "refunded" },
      ],
      run: {
        object: "refund_run",
        run: "r1",
        refunded: 2,
        totals: { eur: 9998 },
        already: 1,
        refused: { payment_not_refundable: 1, resource_missing: 2 },
        unknown: 0,
        not_tried: 0,
      },
    });
    expect(ran.exitCode).toBe(3);
    expect(errorOf(ran)["message"]).toBe("3 payments could not be refunded.");

    const again = await refundFrom(file, ["--yes", "--expect-total", "149.97EUR", "--json"]);
    expect(parseRun(again).run).toMatchObject({ refunded: 0, totals: {}, already: 3 });
    expect(again.exitCode).toBe(3);
  });

  test("prints the results as a table and as CSV, with plan and closing line on standard error", async () => {
    const [one = "", two = "", three = ""] = await pay(3);
    const table = await refundFrom(writeFile(one, unknownId), [...yes, "--concurrency", "1"]);
    expect(table.stdout).toBe(
      `${one}       49.99 EUR  refunded\n${unknownId}                  refused   resource_missing: No payment of this mode has this id.\n`,
    );
    expect(table.stderr).toMatch(
      /^Run +[a-p]{16}\nTo refund +1: 49\.99 EUR\nNot found +1\nRefunded 1: 49\.99 EUR\. Refused: 1 resource_missing\.\nError: 1 payment could not be refunded\.\n$/,
    );
    const file = writeFile(`{"payment":"${two}"}`, `{"id":"${three}"}`, `{"id":"${two}"}`);
    const csv = await refundFrom(file, [...yes, "--concurrency", "1", "-o", "csv"]);
    expect(csv).toMatchObject({
      exitCode: 0,
      stdout: `id,amount,currency,result,error\n${two},4999,eur,refunded,\n${three},4999,eur,refunded,\n`,
      stderr: expect.stringMatching(/Named twice +1\nRefunded 2: 99\.98 EUR\.\n$/) as unknown,
    });
  });

  test("takes what payments list prints, from a pipe", async () => {
    const home = createTemporaryHome();
    const create = [
      "create",
      "--amount",
      "150",
      "--currency",
      "usd",
      "--test-card",
      "visa",
      "--json",
    ];
    const { id } = parsePayment(await runPayments(create, { home }));
    for (const [format, result] of [
      ["ndjson", "refunded"],
      ["csv", "already"],
    ] as const) {
      const { stdout } = await runPayments(["list", "-o", format], { home });
      const args = ["refund", "--from", "-", "--yes", "--expect-total", "1.50USD", "--json"];
      const ran = await runPayments(args, { home, stdin: stdout });
      expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
      expect(parseRun(ran).results).toMatchObject([{ id, amount: 150, result }]);
    }
  });

  test("with --dry-run shows the plan and refunds nothing: exit 3 where something cannot be", async () => {
    const [one = ""] = await pay(1);
    const plan = { object: "refund_plan", refundable: 1, totals: { eur: 4999 }, already: 0 };
    const ran = await refundFrom(writeFile(one, one), ["--dry-run", "--json"]);
    expect(ran).toMatchObject({ exitCode: 0 });
    const rest = { run: expect.any(String) as unknown, not_refundable: 0, unknown: 0, twice: 1 };
    expect(refundPlan.parse(parsePrinted(ran))).toEqual({ ...plan, ...rest });
    const some = await refundFrom(writeFile(one, unknownId), ["--dry-run"]);
    const refused = `${unknownId}                  refused   resource_missing: No payment of this mode has this id.\n`;
    expect(some).toMatchObject({ exitCode: 3, stdout: refused });
    expect(some.stderr).toContain("1 payment of the file cannot be refunded.");
    expect(await statusOf(one)).toBe("succeeded");
  });

  test.each([
    ["without --yes", []],
    ["with --yes alone", ["--yes"]],
    ["with a total alone", ["--expect-total", "49.99EUR"]],
    ["with another total", ["--yes", "--expect-total", "50.00EUR"]],
    ["with too small a total", ["--yes", "--max-total", "49.98EUR"]],
    ["with a total of another currency", ["--yes", "--max-total", "500.00USD"]],
    ["with a total without decimals", ["--yes", "--max-total", "500EUR"]],
    ["with two totals of a currency", [...yes, "--max-total", "1.00EUR"]],
    ["with a run that is no name", [...yes, "--run", "a b"]],
    ["with a run that is a card number", [...yes, "--run", "4242424242424242"]],
    ["with a run that is a key", [...yes, "--run", "svc_live_sk_aaaaaaaaaaaaaaaaaaaaaaaa"]],
    ["with a card number for a reason", [...yes, "--reason", "Card 4242 4242 4242 4242"]],
    ["with a reason that is too long", [...yes, "--reason", "x".repeat(501)]],
    ["with an empty reason", [...yes, "--reason", " "]],
    ["with too much at once", [...yes, "--concurrency", "17"]],
    ["with an id", [...yes, unknownId]],
    ["with an idempotency key", [...yes, "--idempotency-key", "a"]],
  ])("%s is exit 2, and refunds nothing", async (_, args) => {
    const [id = ""] = await pay(1);
    const ran = await refundFrom(writeFile(id), args);
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).not.toMatch(/4242 ?4242|svc_live_sk_a/);
    expect(await statusOf(id)).toBe("succeeded");
  });

  test.each([
    "--run",
    "--concurrency",
    "--max-failures",
    "--expect-total",
    "--max-total",
    "--dry-run",
  ])("%s needs --from", async (flag) => {
    const value = flag === "--dry-run" ? [] : [flag.includes("total") ? "1.00EUR" : "1"];
    const ran = await runPayments(["refund", unknownId, flag, ...value], {});
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("--from");
  });

  test("says the run, the reason and the system's user in the activity log, as a single refund does", async () => {
    const home = createTemporaryHome();
    const create = [
      "create",
      "--amount",
      "150",
      "--currency",
      "usd",
      "--test-card",
      "visa",
      "--json",
    ];
    const made = [];
    for (let at = 0; at < 3; at++) made.push(parsePayment(await runPayments(create, { home })).id);
    const [one = "", two = "", three = ""] = made;
    const many = ["--yes", "--max-total", "1.50USD", "--run", "incident-7"];
    await runPayments(["refund", "--from", writeFile(one), ...many], { home });
    const reason = ["--reason", "Charged twice – ä"];
    await runPayments(["refund", "--from", writeFile(two), ...many, ...reason], { home });
    await runPayments(["refund", three, "--yes", ...reason], { home });
    const printed = parsePrinted(await runPayments(["activity", "list", "--json"], { home }));
    const { username } = userInfo();
    const details = (printed["data"] as Activity[])
      .filter(({ action }) => action === "payment.refunded")
      .map(({ actor, detail }) => [actor.type, detail]);
    expect(details).toEqual([
      ["api_key", `Charged twice – ä (by ${username})`],
      ["api_key", `Charged twice – ä (run incident-7, by ${username})`],
      ["api_key", `run incident-7, by ${username}`],
    ]);
  });
});

/** Answers reads as the service does, and the refunds in turn as given, the last answer to all others. */
async function serverOf(...answers: Answer[]) {
  let refunds = 0;
  const server = await scriptedServer((response, request) => {
    if (request.method === "GET") return forward(service.url)(response, request);
    return (answers[refunds++] ?? answers.at(-1) ?? drop)(response, request);
  });
  return { ...server, refunds: () => refunds };
}

const atOnce = { "retry-after": "0" };
const busy = refusal(503, "service_unavailable", atOnce);
const quick = ["--max-retries", "0", "--concurrency", "1", "--json"];
const pass: Answer = (response, request) => forward(service.url)(response, request);
const loseAnswer: Answer = (response, request) => forwardAndDrop(service.url)(response, request);

describe.concurrent("a run of refunds", () => {
  test("whose answers are lost is exit 9, says how to go on, and goes on so", async () => {
    const ids = await pay(3);
    const file = writeFile(...ids);
    const { url } = await serverOf(loseAnswer, busy, pass);
    const expecting = ["--yes", "--expect-total", "149.97EUR"];
    const ran = await refundFrom(file, [...expecting, "--reason", "It's late", ...quick], { url });
    expect(ran.exitCode).toBe(9);
    const { results, run } = parseRun(ran);
    expect(results.map(({ result, error }) => [result, error])).toEqual([
      ["unknown", "connection_failed"],
      ["unknown", "service_unavailable"],
      ["refunded", null],
    ]);
    expect(run).toMatchObject({ refunded: 1, unknown: 2, not_tried: 0 });
    expect(errorOf(ran)["hint"]).toBe(
      `Nothing is refunded twice; go on with: payments refund --from ${file} --yes --expect-total 149.97EUR --reason 'It'\\''s late' --max-retries 0 --concurrency 1 --json --run ${run.run}`,
    );
    const again = await refundFrom(file, [...expecting, ...quick]);
    expect(again.exitCode).toBe(0);
    expect(parseRun(again).run).toMatchObject({ refunded: 1, already: 2, unknown: 0 });
  });

  test("stops after so many unknown outcomes in a row", async () => {
    const ids = await pay(8);
    const { url, refunds } = await serverOf(busy, busy, pass, busy, busy, busy, pass);
    const args = [...yes, ...quick, "--max-failures", "3"];
    const ran = await refundFrom(writeFile(...ids), args, { url });
    expect(ran.exitCode).toBe(9);
    expect(parseRun(ran).run).toMatchObject({ refunded: 1, unknown: 5, not_tried: 2 });
    expect(errorOf(ran)["message"]).toContain("2 were not tried");
    expect(refunds()).toBe(6);
  });

  test("waits for rate limits, which use up no retry", async () => {
    const limit = refusal(429, "rate_limit_exceeded", atOnce);
    const { url } = await serverOf(limit, limit, limit, pass, limit, pass);
    const ran = await refundFrom(writeFile(...(await pay(2))), [...yes, ...quick], { url });
    expect(ran.exitCode).toBe(0);
    expect(parseRun(ran).run).toMatchObject({ refunded: 2 });
  });

  test.each([
    ["is not accepted", refusal(401, "invalid_api_key")],
    ["may not refund", refusal(403, "permission_denied")],
  ])("ends with exit 4 when its key %s", async (_, refused) => {
    const { url, refunds } = await serverOf(pass, refused);
    const ran = await refundFrom(writeFile(...(await pay(4))), [...yes, ...quick], { url });
    expect(ran.exitCode).toBe(4);
    expect(parseRun(ran).run).toMatchObject({ refunded: 1, unknown: 0, not_tried: 3 });
    expect(refunds()).toBe(2);
  });

  test("names the command line to go on with, and no single key, where its key ends after a lost response", async () => {
    const { url } = await serverOf(loseAnswer, refusal(401, "invalid_api_key"));
    const flags = [...yes, "--concurrency", "1", "--json", "--run", "r3"];
    const ran = await refundFrom(writeFile(...(await pay(2))), flags, { url });
    expect(ran.exitCode).toBe(4);
    expect(parseRun(ran).run).toMatchObject({ unknown: 1, not_tried: 1 });
    const { hint, idempotency_key: key } = errorOf(ran);
    expect([key, hint]).toEqual([null, expect.stringMatching(/^Nothing .*--run r3$/)]);
  });

  test("sends nothing more once it has stopped, by what waits for a rate limit either", async () => {
    const limit = refusal(429, "rate_limit_exceeded", { "retry-after": "30" });
    const { url, refunds } = await serverOf(limit, refusal(401, "invalid_api_key"), pass);
    const flags = [...yes, "--concurrency", "2", "--json"];
    const ran = await refundFrom(writeFile(...(await pay(3))), flags, { url });
    expect(ran.exitCode).toBe(4);
    expect(parseRun(ran).run).toMatchObject({ refunded: 0, unknown: 0, not_tried: 3 });
    expect(refunds()).toBe(2);
  });

  test("says on standard error what it did where the reader of its JSON has left", async () => {
    const env = createServiceEnv(service.url, service.keys.test);
    const file = writeFile(...(await pay(5)));
    const run = startPayments(["refund", "--from", file, ...yes, "--json"], { env });
    run.stdout.destroy();
    const [stderr, [exitCode]] = await Promise.all([text(run.stderr), once(run, "close")]);
    expect(exitCode).toBe(0);
    expect(refundRun.parse(JSON.parse(stderr))).toMatchObject({ refunded: 5, not_tried: 0 });
  });

  test("stops where its output cannot be written, and says how to go on", async () => {
    const env = createServiceEnv(service.url, service.keys.test);
    const file = writeFile(...(await pay(9)));
    const line = `payments refund --from ${file} ${yes.join(" ")} --concurrency 1 > /dev/full`;
    const { exitCode, stderr } = await runInShell(line, { env });
    expect(exitCode).toBe(9);
    expect(stderr).toContain("\nRefunded 1: 49.99 EUR. Not tried: 8.\nError: The output cannot");
    expect(stderr).toContain(`go on with: payments refund --from ${file} --yes`);
  });

  test.each([
    [403, "refund_limit_exceeded", 4],
    [422, "refund_declined", 3],
    [422, "payment_not_refundable", 3],
    [404, "resource_missing", 3],
  ])("goes on after %d %s, and ends with exit %d", async (status, code, exitCode) => {
    const { url } = await serverOf(refusal(status, code), pass);
    const ran = await refundFrom(writeFile(...(await pay(2))), [...yes, ...quick], { url });
    expect(ran.exitCode).toBe(exitCode);
    expect(parseRun(ran).run).toMatchObject({ refunded: 1, refused: { [code]: 1 } });
  });

  test("tells a person why a payment was refused, in the service's words", async () => {
    const { url } = await serverOf(refusal(422, "refund_declined"));
    const [id = ""] = await pay(1);
    const { payments } = service.client();
    const failed = await payments.create({ ...body, card: declining });
    const file = writeFile(id, failed.id);
    const ran = await refundFrom(file, [...yes, "--concurrency", "1"], { url });
    expect(ran.stdout.split("\n")).toEqual([
      `${id}       49.99 EUR  refused   refund_declined: It went wrong.`,
      `${failed.id}       49.99 EUR  refused   payment_not_refundable: It is pending or failed.`,
      "",
    ]);
  });

  test("says already of what somebody else refunded meanwhile", async () => {
    const [id = ""] = await pay(1);
    const { url } = await serverOf(async (response, request) => {
      await service.client().payments.refund(id);
      await pass(response, request);
    });
    const ran = await refundFrom(writeFile(id), [...yes, ...quick], { url });
    expect(ran.exitCode).toBe(0);
    expect(parseRun(ran).run).toMatchObject({ refunded: 0, already: 1, totals: {} });
  });

  test("counts what is still being processed, and what is not the API's, as unknown", async () => {
    const inUse = refusal(409, "idempotency_key_in_use", atOnce);
    const declined = refusal(422, "refund_declined");
    const others = [json(200, { object: "other" }), json(404, {}), declined, pass];
    const { url } = await serverOf(inUse, ...others);
    const ran = await refundFrom(writeFile(...(await pay(5))), [...yes, ...quick], { url });
    expect(parseRun(ran).results.map(({ error }) => error)).toEqual([
      "idempotency_key_in_use",
      "unexpected_answer",
      "unexpected_answer",
      "refund_declined",
      null,
    ]);
    expect(ran.exitCode).toBe(9); // goes before what was refused
  });

  test("ends at once on the answer of another mode, which counts as unknown", async () => {
    const ids = await pay(3);
    const live = paymentWith({ id: ids[0] ?? "", livemode: true, status: "refunded" });
    const { url, refunds } = await serverOf(json(200, live), pass);
    const ran = await refundFrom(writeFile(...ids), [...yes, ...quick], { url });
    expect(ran.exitCode).toBe(4);
    expect(parseRun(ran).run).toMatchObject({ refunded: 0, unknown: 1, not_tried: 2 });
    expect(refunds()).toBe(1);
  });

  test("refunds nothing where a look-up fails", async () => {
    const ids = await pay(2);
    const server = await scriptedServer(busy);
    const ran = await refundFrom(writeFile(...ids), [...yes, ...quick], { url: server.url });
    expect(ran).toMatchObject({ exitCode: 9, stdout: "" });
    expect(server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("of the same file twice at once refunds each payment once, and counts it once", async () => {
    const ids = await pay(30);
    // Each process has planned all of them before the first refund is let through.
    const planned = new Map(ids.map((id) => [id, 0]));
    const areAllPlanned = Promise.withResolvers<void>();
    const server = await scriptedServer(async (response, request) => {
      const id = request.path.split("/")[3] ?? "";
      if (request.method === "POST") await areAllPlanned.promise;
      await forward(service.url)(response, request);
      if (request.method === "GET") planned.set(id, (planned.get(id) ?? 0) + 1);
      if ([...planned.values()].every((times) => times === 2)) areAllPlanned.resolve();
    });
    const env = createServiceEnv(server.url, service.keys.test);
    const total = ["--yes", "--expect-total", "1499.70EUR", "--json"];
    const args = ["refund", "--from", writeFile(...ids), ...total];
    const both = await Promise.all(
      [1, 2].map(async () => waitForEnd(startPayments(args, { env }))),
    );
    for (const ran of both) expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    const refunded = both.flatMap((ran) =>
      parseRun(ran).results.filter(({ result }) => result === "refunded"),
    );
    expect(refunded.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await statusOf(id)).toBe("refunded");
  });
});

/** A service whose first refund is held until it is let go. */
async function serverThatHolds() {
  const [asked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold: Answer = async (response, request) => {
    asked.resolve();
    await letGo.promise;
    await pass(response, request);
  };
  const { url, refunds } = await serverOf(hold, pass);
  return { url, refunds, asked: asked.promise, letGo: letGo.resolve };
}

describe.concurrent("a run of refunds that is interrupted", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "by %s lets what is under way end, and says how to go on: %d",
    async (signal, exitCode) => {
      const ids = await pay(5);
      const { url, refunds, asked, letGo } = await serverThatHolds();
      const flags = [...yes, "--concurrency", "1", "--run", "r2"];
      const env = createServiceEnv(url, service.keys.test);
      const run = watchPayments(["refund", "--from", writeFile(...ids), ...flags], { env });
      await asked;
      run.kill(signal);
      await run.says(/^Waiting for the refunds under way/);
      letGo();
      const { stdout, stderr, ...ended } = await run.ended;
      expect(ended).toEqual({ exitCode });
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain("\nRefunded 1: 49.99 EUR. Not tried: 4.\nError: Interrupted.\n");
      expect(stderr).toMatch(/go on with: payments refund --from .* --concurrency 1 --run r2\n/);
      expect(refunds()).toBe(1);
      expect(await statusOf(ids[0] ?? "")).toBe("refunded");
    },
  );

  test("by Ctrl-C does not wait for a rate limit", async () => {
    const { url, refunds } = await serverOf(
      refusal(429, "rate_limit_exceeded", { "retry-after": "3600" }),
    );
    const env = createServiceEnv(url, service.keys.test);
    const file = writeFile(...(await pay(2)));
    const run = watchPayments(["refund", "--from", file, ...yes], { env });
    await expect.poll(refunds).toBe(2);
    const { exitCode, stderr } = await run.end("SIGINT");
    expect(exitCode).toBe(130);
    expect(stderr).toContain("Refunded 0. Not tried: 2.\n");
    expect(refunds()).toBe(2);
  });

  test("while it looks payments up refunds nothing, and says so", async () => {
    const asked = Promise.withResolvers<void>();
    const server = await scriptedServer(() => asked.resolve());
    const env = createServiceEnv(server.url, service.keys.test);
    const run = watchPayments(["refund", "--from", writeFile(unknownId), ...yes], { env });
    await asked.promise;
    const { exitCode, stderr } = await run.end("SIGINT");
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining("Nothing was refunded.")]);
  });

  test("by Ctrl-C twice ends at once", async () => {
    const { url, asked } = await serverThatHolds();
    const env = createServiceEnv(url, service.keys.test);
    const file = writeFile(...(await pay(2)));
    const run = watchPayments(["refund", "--from", file, ...yes, "--concurrency", "1"], { env });
    await asked;
    run.kill("SIGINT");
    await run.says(/^Waiting for the refunds under way/);
    const pressing = setInterval(() => run.kill("SIGINT"), 100); // the same press may arrive twice
    expect((await run.ended.finally(() => clearInterval(pressing))).exitCode).toBe(130);
  });
});

const startRun = (mode: "test" | "live", file: string, env: Record<string, string> = {}) =>
  runInTerminal(["refund", "--from", file], {
    env: { ...createServiceEnv(service.url, service.keys[mode]), ...env },
  });

describe.concurrent("payments refund --from in a terminal", () => {
  requireTerminals();

  test("asks once, with the plan above, and refunds after yes", async () => {
    const ids = await pay(2);
    const terminal = startRun("test", writeFile(...ids, unknownId));
    await terminal.appears("Not found");
    await terminal.appears("Refund 2 payments, 99.98 EUR?");
    expect(await statusOf(ids[0] ?? "")).toBe("succeeded");
    terminal.type(`y${keys.enter}`);
    await terminal.appears("Refunded 2: 99.98 EUR. Refused: 1 resource_missing.");
    expect(await terminal.exitCode).toBe(3);
  });

  test("takes no answer from the terminal in which the file is typed: exit 2, before it is read", async () => {
    const [id = ""] = await pay(1);
    const terminal = startRun("test", "-");
    terminal.type(`${id}${keys.enter}${keys.controlD}n${keys.enter}`);
    await terminal.appears("need --yes");
    expect(await terminal.exitCode).toBe(2);
  });

  test("has each currency's sum typed in live mode, and asks a wrong one again", async () => {
    const [one = ""] = await pay(1, "live");
    const live = service.client({ apiKey: service.keys.live }).payments;
    const two = await live.create({ ...body, amount: 123_450, currency: "usd" });
    const terminal = startRun("live", writeFile(one, two.id), { ACCESSIBLE: "1" });
    await terminal.appears("Type the sum, 49.99 EUR, to refund 2 payments:");
    terminal.type(`49.98${keys.enter}`);
    await terminal.appears("That is not 49.99 EUR.");
    terminal.type(`49,99${keys.enter}`);
    await terminal.appears("Type the sum, 1234.50 USD, to refund 2 payments:");
    terminal.type(`$1,234.50${keys.enter}`);
    await terminal.appears("Refunded 2: 49.99 EUR and 1234.50 USD.");
    expect(await terminal.exitCode).toBe(0);
  });

  test("refunds nothing after Enter alone", async () => {
    const [one = ""] = await pay(1, "live");
    const terminal = startRun("live", writeFile(one));
    await terminal.appears("Type the sum, 49.99 EUR, to refund 1 payment:");
    terminal.type(keys.enter);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toContain("Canceled; nothing was refunded.");
  });
});
