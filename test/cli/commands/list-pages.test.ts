import { beforeAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { forward, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parseList,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
/** Newest first. */
let made: string[] = [];

beforeAll(async () => {
  const { payments } = service.client();
  const count = Array.from({ length: 250 });
  const created = await Promise.all(count.map(async () => payments.create(body)));
  made = created
    .map(({ id }) => id)
    .toSorted()
    .toReversed();
});

async function list(...args: string[]): Promise<Ran> {
  const env = createServiceEnv(service.url, service.keys.test);
  return await runPayments(["list", ...args], { env });
}
const parseIds = (ran: Ran) => parseList(ran).data.map(({ id }) => id);
const parseCsvIds = ({ stdout }: Ran) =>
  stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",", 1)[0]);

describe.concurrent("a list of many payments", () => {
  test("is ten long by default, and the note says how to get the next page", async () => {
    const [asText, asJson] = await Promise.all([list(), list("--json")]);
    expect(asText.stdout.trimEnd().split("\n")).toHaveLength(11);
    expect(asText.stderr).toBe(`There are older ones: --starting-after ${made[9]}, or --all\n`);
    expect(parseIds(asJson)).toEqual(made.slice(0, 10));
    expect(parseList(asJson).has_more).toBe(true);
  });

  test.each([
    [1, true],
    [100, true],
    [101, true],
    [249, true],
    [250, false],
    [1000, false],
  ])("with --limit %d holds so many in all", async (limit, more) => {
    const ran = await list("--json", "--limit", String(limit));
    expect(parseIds(ran)).toEqual(made.slice(0, limit));
    expect(parseList(ran)).toMatchObject({ object: "list", has_more: more });
  });

  test("has every payment with --all, requested in pages of a hundred", async () => {
    const server = await scriptedServer(forward(service.url));
    const ran = await list("--json", "--all", "--base-url", server.url);
    expect(parseIds(ran)).toEqual(made);
    expect(parseList(ran).has_more).toBe(false);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/payments?limit=100",
      `/v1/payments?limit=100&starting_after=${made[99]}`,
      `/v1/payments?limit=100&starting_after=${made[199]}`,
    ]);
  });

  test.each(["--all", "--limit 250", "--limit 130"])(
    "with %s has the same payments as JSON lines and as CSV",
    async (flags) => {
      const args = flags.split(" ");
      const [asJson, asLines, asCsv] = await Promise.all([
        list(...args, "--json"),
        list(...args, "-o", "ndjson"),
        list(...args, "-o", "csv"),
      ]);
      const { data } = parseList(asJson);
      expect(data).toHaveLength(args[1] === undefined ? 250 : Number(args[1]));
      expect(asLines).toEqual({
        stdout: data.map((payment) => `${JSON.stringify(payment)}\n`).join(""),
        stderr: "",
        exitCode: 0,
      });
      expect(parseCsvIds(asCsv)).toEqual(data.map(({ id }) => id));
    },
  );

  test("starts after the payment of --starting-after", async () => {
    const ran = await list("--json", "--limit", "150", "--starting-after", made[49] ?? "");
    expect(parseIds(ran)).toEqual(made.slice(50, 200));
    const last = await list("--starting-after", made[239] ?? "");
    expect(last.stdout.trimEnd().split("\n")).toHaveLength(11);
    expect(last.stderr).toBe("");
  });

  test("with --ending-before gives the newer ones, newest first", async () => {
    const [ran, asText] = await Promise.all([
      list("--json", "--limit", "150", "--ending-before", made[200] ?? ""),
      list("--limit", "150", "--ending-before", made[200] ?? ""),
    ]);
    expect(parseIds(ran)).toEqual(made.slice(50, 200));
    expect(parseList(ran).has_more).toBe(true);
    expect(asText.stderr).toBe(`There are newer ones: --ending-before ${made[50]}\n`);
    const first = await list("--json", "--ending-before", made[5] ?? "");
    expect(parseIds(first)).toEqual(made.slice(0, 5));
    expect(parseList(first).has_more).toBe(false);
  });

  test.each(["ndjson", "csv"])(
    "with --ending-before is newest first as %s too, over several pages",
    async (format) => {
      const args = ["--limit", "150", "--ending-before", made[200] ?? "", "-o", format];
      const ran = await list(...args);
      const ids =
        format === "csv"
          ? parseCsvIds(ran)
          : ran.stdout
              .trimEnd()
              .split("\n")
              .map((line) => (JSON.parse(line) as Payment).id);
      expect(ids).toEqual(made.slice(50, 200));
      expect(ran.stderr).toBe(
        format === "csv" ? `There are newer ones: --ending-before ${made[50]}\n` : "",
      );
    },
  );
});
