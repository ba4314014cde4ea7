import { describe, expect, test } from "vitest";
import type { Mode } from "../../../src/contract/key.ts";
import {
  accountWith,
  json,
  scriptedServer,
  type ScriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";
import { respondTo, id, runCall } from "../../testkit/command/every-call.ts";
import {
  createServiceEnv,
  parseError,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];

describe.concurrent("a first response of the other mode is exit 4, and no data is printed:", () => {
  test.each<["list" | "get" | "create" | "refund", string[], string | undefined]>([
    ["list", ["--json", "--all"], undefined],
    ["list", ["-o", "ndjson"], undefined],
    ["get", ["--json"], undefined],
    ["create", ["--json", "--wait"], id],
    ["refund", ["--json"], id],
  ])("%s %j", async (call, args, written) => {
    const ran = await runCall(call, json(200, respondTo(call, { livemode: true })), ...args);
    expectMismatch(ran, "test", written);
    expect(ran.tries).toBe(1);
  });

  test("a live key answered with test data, with the error as text too", async () => {
    const server = await scriptedServer(json(200, respondTo("create")));
    const args = create;
    const env = createServiceEnv(server.url, someKeys.live);
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
    const server = await scriptedServer(json(200, respondTo("get", { livemode: true })));
    const ran = await runPayments(["refund", id, "--yes", "--json"], {
      env: createServiceEnv(server.url),
    });
    expectMismatch(ran, "test", undefined);
    expect(listMethods(server)).toEqual(["GET"]);
  });

  test("the response to whoami", async () => {
    const server = await scriptedServer(json(200, accountWith({ livemode: true })));
    const ran = await runPayments(["whoami", "--json"], { env: createServiceEnv(server.url) });
    expectMismatch(ran, "test", undefined);
    expect(server.requests).toHaveLength(1);
  });
});

function listMethods({ requests }: ScriptedServer): string[] {
  return requests.map(({ method }) => method);
}

function expectMismatch(ran: Ran, mode: Mode, written: string | undefined): void {
  const other = mode === "test" ? "live" : "test";
  expect(ran.exitCode).toBe(4);
  expect(parseError(ran)).toMatchObject({
    code: "mode_mismatch",
    retryable: false,
    http_status: null,
    message: `The service answered a ${mode} key with ${other} data${written ? ` (${written})` : ""}.`,
  });
}
