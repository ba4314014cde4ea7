import { describe, expect, test } from "vitest";
import { deleteContext, listContextNames } from "../../../src/cli/config/contexts.ts";
import { storeLogin } from "../../../src/cli/config/profile.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  hasTerminals,
  keys,
  noTerminals,
  runInTerminal,
} from "../../testkit/command/in-terminal.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";
import { answerLast, sendingCommands } from "../../testkit/command/sending-commands.ts";
import { openPlaces, pay, placeKeys } from "../../testkit/command/two-contexts.ts";

// As soon as there are two contexts, what happens in live mode names its own.

const { id } = paymentWith();

const liveWrites = Object.entries(sendingCommands).filter(
  ([name, { isWrite }]) => isWrite || name === "webhooks delete",
);

describe.concurrent("a live write", () => {
  test.each(liveWrites)(
    "says where it went, unless a program reads the output: %s",
    async (_, command) => {
      const { before, response } = command;
      const inLive = { before: before && live(before), response: response && live(response) };
      const server = await scriptedServer(
        answerLast({ ...command, ...inLive } as typeof command, json(200, inLive.response)),
      );
      const { home, place } = await openPlaces({ inUse: "production" });
      const login = { baseUrl: server.url, key: placeKeys.production.live };
      storeLogin(place("production"), "live", login, keyringOfHome);
      const inWords = await runPayments(command.args, { home });
      expect(inWords).toMatchObject({ exitCode: 0 });
      expect(inWords.stderr.match(/^In production \(live\)\.$/gm)).toHaveLength(1);
      const asJson = await runPayments([...command.args, "--json"], { home });
      expect(asJson).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  test("says nothing of its place in CSV, in test mode, or in the only context", async () => {
    const { home, directories } = await openPlaces({ inUse: "production" });
    const inCsv = await runPayments([...pay, "-o", "csv"], { home });
    const inTest = await runPayments([...pay, "--mode", "test"], { home });
    deleteContext(directories, "staging", keyringOfHome);
    expect(listContextNames(directories)).toEqual(["production"]);
    const alone = await runPayments(pay, { home });
    for (const ran of [inCsv, inTest, alone]) {
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr).not.toContain("In production");
    }
  });

  test("without a clear outcome is repeated in its context, whatever is in use by then", async () => {
    const { home, place } = await openPlaces({ inUse: "production" });
    const login = { baseUrl: "http://127.0.0.1:1", key: placeKeys.production.live };
    const server = await scriptedServer((response) => response.destroy());
    storeLogin(place("production"), "live", { ...login, baseUrl: server.url }, keyringOfHome);
    const { stderr, exitCode } = await runPayments([...pay, "--max-retries", "0"], { home });
    expect(exitCode).toBe(9);
    expect(stderr).toMatch(/Run the same command with --context production --idempotency-key /);
  });
});

const live = (object: object): object => {
  const { data } = object as { data?: object[] };
  return { ...object, livemode: true, ...(data && { data: data.map(live) }) };
};

test("completion names each place", async () => {
  const { home, servers } = await openPlaces();
  const { stdout } = await runPayments(["__complete", "refund", "--context", ""], { home });
  expect(stdout).toBe(
    [
      `production\t${servers.production.url} (live)`,
      `staging\t${servers.staging.url} (test)`,
      "embedded\tembedded (test)\n",
    ].join("\n"),
  );
});

test("whoami names the context, and where each setting comes from", async () => {
  const { home, servers } = await openPlaces();
  const env = { PAYMENTS_CONTEXT: "production", PAYMENTS_MODE: "test" };
  const ran = await runPayments(["whoami", "--json", "--service-version", "2026-11-01"], {
    home,
    env,
  });
  expect(parsePrinted(ran)).toMatchObject({
    context: "production",
    mode: "test",
    base_url: servers.production.url,
    service_version: "2026-11-01",
    sources: {
      context: "PAYMENTS_CONTEXT",
      mode: "PAYMENTS_MODE",
      base_url: "stored",
      service_version: "--service-version",
    },
  });
});

describe.concurrent("in a terminal", () => {
  test("a prompt's header, the question and a login name the context", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const { home, servers, listSent } = await openPlaces({ inUse: "production" });
    const refund = runInTerminal(["refund", id], { home });
    await refund.appears("In production (live).");
    await refund.appears("Refund 49.99 EUR in production (live)? Type the amount, 49.99 EUR,");
    refund.type(keys.enter);
    expect(await refund.exitCode).toBe(10);
    expect(listSent().filter((line) => line.startsWith("POST"))).toEqual([]);

    const login = runInTerminal(["login", "--base-url", servers.staging.url], { home });
    await login.appears("API key:");
    login.type(placeKeys.staging.test + keys.enter);
    await login.appears(`The context production is for ${servers.production.url}, not for`);
    await login.appears("Replace it?");
    login.type(keys.enter);
    expect(await login.exitCode).toBe(10);
    expect(servers.staging.requests).toEqual([]);
  });
});
