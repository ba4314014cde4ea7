import { beforeAll, describe, expect, test } from "vitest";
import { testCards } from "../../src/contract/card.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { makeKey } from "../testkit/command/prepare-home.ts";
import { runPayments, type Ran } from "../testkit/command/run-payments.ts";
import { servePayments } from "../testkit/command/running-commands.ts";

const amount = ["create", "--amount", "4999", "--currency", "eur"];
const visa = [...amount, "--test-card", "visa"];
const missing = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";

/** More flags for a test card: without --wait a declined payment is printed while it is pending. */
const flagsOfCard: Record<string, string[]> = {
  "generic-decline": ["--wait"],
  "insufficient-funds": ["--expect", "insufficient_funds", "-o", "csv"],
};

/** Command lines in the order in which they are run; `$1` is the first payment that was created. */
const lines: string[][] = [
  ["list"],
  ...testCards
    .toReversed() // so that no payment is pending any more when they are listed
    .map(({ name }) => amount.concat("--test-card", name, flagsOfCard[name] ?? ["--json"])),
  [...visa, "--description", "A book – 東京", "--metadata", "order_id=1001", "--email", "a@b.co"],
  [...visa, "--expect", "failed", "--fields", "status,amount"],
  [...visa, "--idempotency-key", "order-1", "--json", "--fields", "id,card.brand"],
  [...visa, "--idempotency-key", "order-1", "--description", "another", "--json"],
  [...visa, "--dry-run", "--idempotency-key", "order-2", "--service-version", "2026-11-01"],
  ["create", "--amount", "1", "--currency", "xyz", "--test-card", "visa", "--json"],
  ["get", "$1", "--json"],
  ["get", missing],
  ["refund", "$1", "--yes"],
  ["refund", "$1", "--yes", "--json"],
  ["refund", "$9", "--yes"],
  ["list"],
  ["list", "--status", "refunded", "--json"],
  ["list", "--status", "failed", "-o", "csv", "--fields", "id,decline_code,card.last4"],
  ["list", "--created-gte", "1h", "--created-lt", "2100-01-01", "--all", "-o", "ndjson"],
  ["list", "--starting-after", "$4", "--limit", "2"],
  ["list", "--ending-before", "$4", "--limit", "2", "--json"],
  ["list", "--starting-after", missing, "--json"],
  ["list", "--status", "lost"],
  ["whoami"],
  ["test-cards"],
];

/** Runs every line; values that differ between services are replaced by names. */
async function runLines(env: Record<string, string>, home: string): Promise<Ran[]> {
  const ids: string[] = [];
  const results: Ran[] = [];
  for (const line of lines) {
    const args = line.map((word) =>
      word.replace(/^\$(\d+)$/, (_, at) => ids[Number(at) - 1] ?? ""),
    );
    const ran = await runPayments(args, { home, env });
    for (const id of ran.stdout.match(/pay_[0-9a-f-]{36}/g) ?? []) {
      if (!ids.includes(id)) ids.push(id);
    }
    results.push({
      ...ran,
      stdout: replaceNames(ran.stdout, ids),
      stderr: replaceNames(ran.stderr, ids),
    });
  }
  return results;
}

function replaceNames(text: string, ids: string[]): string {
  return (
    ids
      .reduce((all, id, index) => all.replaceAll(id, `PAYMENT ${index + 1}`), text)
      .replaceAll(/(file:\/\/[^"\s#]+\.html|http:\/\/[\d.:]+\/docs\/errors)(?=#)/g, "DOCS")
      // The service and key are named by variables there, and are those of the context here.
      .replaceAll(/^Context .*\n/gm, "")
      .replaceAll(/(?<=^(?:Mode|Service) .*), (?:by default|from PAYMENTS_\w+)$/gm, "")
      .replaceAll("the embedded service.", "SERVICE")
      .replaceAll(/embedded:(?=\/v1)|(?<=Service +)embedded|http:\/\/[\d.:]+/g, "SERVICE")
      .replaceAll(/…\w{4}, from \w+|sk_…\w{4}/g, "KEY")
      .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|req_[0-9a-f-]{36}/g, "UUID")
      .replaceAll(/\b\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\b|\b1[789]\d{8}\b/g, "TIME")
  );
}

describe("the same command line has the same result on the embedded service and on payments serve:", () => {
  let embedded: Ran[] = [];
  let served: Ran[] = [];
  beforeAll(async () => {
    const home = createTemporaryHome();
    const { key } = await makeKey(home);
    const { url } = await servePayments(["--log-level", "silent"], { home });
    const env = { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: key };
    [embedded, served] = await Promise.all([
      runLines({}, createTemporaryHome()),
      runLines(env, createTemporaryHome()),
    ]);
  });

  test.each(lines.map((line, at) => [line.join(" "), at] as const))("payments %s", (_, at) => {
    expect(served[at]).toBeDefined();
    expect(served[at]).toEqual(embedded[at]);
  });

  test("the lines cover every exit code that a service can cause", () => {
    const exitCodes = Map.groupBy(lines, (_, at) => Number(embedded[at]?.exitCode));
    expect([...exitCodes.keys()].toSorted((a, b) => a - b)).toEqual([0, 2, 3, 5, 6]);
  });
});
