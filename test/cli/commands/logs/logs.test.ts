import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { LoggedRequest, RequestList } from "../../../../src/contract/logged-request.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runInNewProcess,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../../testkit/command/run-payments.ts";
import { json, refusal, scriptedServer } from "../../../testkit/client/scripted-server.ts";
import { listWith, requestWith } from "../../../testkit/api-objects.ts";

const visa = "create --amount 4999 --currency eur --test-card visa --json".split(" ");

/** An id that holds this time. */
function createRequestId(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `req_${hex.slice(0, 8)}-${hex.slice(8)}-7abc-9def-0123456789ab`;
}

describe("payments logs, on the embedded service", () => {
  test("lists and shows the requests of earlier commands", async () => {
    const home = createTemporaryHome();
    const run = async (...argv: string[]) => runPayments(argv, { home });
    const { id } = parsePayment(await run(...visa, "--idempotency-key", "order-1"));
    const failed = parseError(await run("get", "pay_none", "--json"));
    const list = JSON.parse((await run("logs", "list", "--json")).stdout) as RequestList;
    expect(list.data).toMatchObject([
      { id: failed["request_id"], status: 404, error: { code: "resource_missing", param: "id" } },
      { method: "POST", status: 201, payment: id, idempotency_key: "order-1" },
    ]);
    const [, made] = list.data;
    const shown = await run("logs", "get", made?.id ?? "", "--json");
    expect(JSON.parse(shown.stdout) as LoggedRequest).toEqual(made);
    const filters = ["--status", "4xx,5xx", "--method", "GET", "--fields", "status,payment"];
    const csv = await run("logs", "list", ...filters, "-o", "csv");
    expect(csv.stdout).toBe("status,payment\n404,pay_none\n");
    const byKey = await run("logs", "list", "--idempotency-key", "order-1", "--payment", id);
    expect(byKey.stdout.split("\n")).toHaveLength(3);
  });

  test("an error's hint is the command that shows its request", async () => {
    const home = createTemporaryHome();
    const { stderr } = await runPayments(["get", "pay_none", "--mode", "live"], { home });
    const [, command = ""] =
      /hint: payments (logs get req_[0-9a-f-]+ --mode live)/.exec(stderr) ?? [];
    const shown = await runPayments(command.split(" "), { home });
    expect(shown).toMatchObject({ stderr: "", exitCode: 0 });
    expect(shown.stdout).toContain("resource_missing");
  });

  test("tail prints what happens from now on, and ends with exit code 0", async () => {
    const home = createTemporaryHome();
    await runPayments(["get", "pay_old"], { home });
    const tail = startPayments(["logs", "tail", "--status", "404"], { home });
    let [out, err] = ["", ""];
    tail.stdout.on("data", (text) => (out += String(text)));
    tail.stderr.on("data", (text) => (err += String(text)));
    await expect.poll(() => err).toContain("Requests of the embedded service, test mode.");
    await runInNewProcess(["get", "pay_new"], { home });
    await expect
      .poll(() => out)
      .toMatch(/ 404 {2}GET .* \/v1\/payments\/pay_new {2}resource_missing\n$/);
    expect(out).not.toContain("pay_old");
    const ended = new Promise((resolve) => tail.once("close", resolve));
    tail.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  test("tail that is terminated exits with 143", async () => {
    const tail = startPayments(["logs", "tail"], { home: createTemporaryHome() });
    const ran = waitForEnd(tail);
    await once(tail.stderr, "data");
    tail.kill("SIGTERM");
    expect(await ran).toMatchObject({ stdout: "", exitCode: 143 });
  });
});

describe("payments logs, on a service", () => {
  test("get asks again for a request that may not be logged yet", async () => {
    const id = createRequestId(Date.now());
    const request = requestWith({ id });
    const server = await scriptedServer(refusal(404, "resource_missing"), json(200, request));
    const ran = await runPayments(["logs", "get", id, "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(JSON.parse(ran.stdout)).toEqual(request);
  });

  test("get of an old request fails at once, and its hint is not itself", async () => {
    const logged = { "service-version": "2026-11-01" };
    const server = await scriptedServer(refusal(404, "resource_missing", logged));
    const ran = await runPayments(["logs", "get", requestWith().id], {
      env: createServiceEnv(server.url),
    });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(ran.stderr).not.toContain("payments logs get");
    expect(server.requests).toHaveLength(1);
  });

  test.for([
    [["logs", "list", "--status", "40"], "--status must be statuses such as 404"],
    [["logs", "tail", "--status", "ok"], "--status must be statuses such as 404"],
    [["logs", "list", "--payment", "x"], "--payment must be the id of a payment"],
    [["logs", "list", "--idempotency-key", "a b"], "--idempotency-key must be"],
    [["logs", "get", "pay_1"], "<id> must be the id of a request, such as req_0199…"],
  ] as const)("%j is refused before anything is sent", async ([argv, message]) => {
    const server = await scriptedServer(json(200, {}));
    const ran = await runPayments([...argv], { env: createServiceEnv(server.url) });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain(message);
    expect(server.requests).toEqual([]);
  });

  test("control characters from the service do not reach the terminal", async () => {
    const hostile = requestWith({ path: "/v1/\u001B[2J", key: { id: "key_1", name: "\u009B31m" } });
    for (const argv of [
      ["logs", "list"],
      ["logs", "get", hostile.id],
    ]) {
      const body = argv[1] === "list" ? listWith("/v1/requests", hostile) : hostile;
      const server = await scriptedServer(json(200, body));
      const ran = await runPayments(argv, { env: createServiceEnv(server.url) });
      expect(ran.exitCode).toBe(0);
      expect(ran.stdout).not.toMatch(/\p{Cc}(?<!\n)/u);
    }
  });
});
