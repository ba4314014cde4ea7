import { beforeAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { howWordsMatch } from "../../../src/contract/search-words.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import {
  forward,
  holding,
  json,
  paymentNumbers,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseError,
  parseList,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
/** Newest first: a payment of 3, of 2 (declined) and of 1. */
let made: Payment[] = [];

beforeAll(async () => {
  const { payments } = service.client();
  const first = await payments.create({ ...body, amount: 1 });
  const second = await payments.create({ ...body, amount: 2, card: declining });
  const third = await payments.create({ ...body, amount: 3 });
  made = [third, await payments.settled(second), first];
});

async function list(...args: string[]): Promise<Ran> {
  const env = { ...createServiceEnv(service.url, service.keys.test), TZ: "UTC" };
  return await runPayments(["list", ...args], { env });
}
const nothing = "No payments in test mode of the account Default, at the embedded service.\n";

describe.concurrent("payments list", () => {
  test("prints a table", async () => {
    const { stdout, stderr, exitCode } = await list();
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +STATUS +AMOUNT +CREATED +CARD +CUSTOMER +DESCRIPTION$/);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(
      new RegExp(`^${made[1]?.id} +failed \\(generic_decline\\) +0\\.02 EUR +2\\d{3}-.+ visa 0002`),
    );
  });

  test("takes several statuses, in any order, or the flag again", async () => {
    const [third, second, first] = made.map(({ id }) => id);
    for (const [flags, ids] of [
      ["--status failed,succeeded", [third, second, first]],
      ["--status refunded,failed,failed", [second]],
      ["--status succeeded --status refunded --limit 1", [third]],
      [`--status succeeded,failed --starting-after ${third}`, [second, first]],
      ["--status refunded,pending", []],
      ["--status failed,pending --search eur", [second]],
    ] as const) {
      const { data } = parseList(await list(...flags.split(" "), "--json"));
      expect([flags, data.map(({ id }) => id)]).toEqual([flags, ids]);
    }
    const none = await list("--status", "refunded,pending");
    expect(none.stderr).toContain("found by --status refunded --status pending in test mode");
    const wrong = await list("--status", "failed, refundet");
    expect(wrong.stderr).toBe(
      "Error: --status must be pending, succeeded, failed or refunded.\n  hint: Did you mean --status refunded?\n",
    );
  });

  test("prints a sheet for spreadsheets, after a look at all of its metadata", async () => {
    const { stdout, stderr, exitCode } = await list("--spreadsheet", "--all");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toMatch(
      /^\uFEFFid,amount,currency,status,.*,created \(UTC\),livemode,.*metadata$/,
    );
    const shown = made.map(({ id, amount, status }) => `${id},0.0${amount},eur,${status}`);
    expect(rows.map((row) => row.split(",", 4).join(","))).toEqual(shown);
    for (const row of rows) expect(row).toMatch(/,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,false,/);
    const limited = await list("--spreadsheet", "--limit", "1", "--status", "failed,succeeded");
    expect(limited.stdout.trimEnd().split("\n")).toEqual([header, rows[0]]);
    expect(limited.stderr).toBe(
      `There are older ones: --starting-after ${made[0]?.id}, or --all\n`,
    );
    for (const other of ["-o csv", "--json", "--fields id", `--ending-before ${made[2]?.id}`]) {
      const refused = await list("--spreadsheet", ...other.split(" "));
      expect([other, refused.stdout, refused.exitCode]).toEqual([other, "", 2]);
    }
    const some = await list("--spreadsheet", "--fields", "id,amount");
    expect(some.stderr).toContain("-o csv --fields id,amount.\n");
    const nowhere = await list("--spreadsheet", "--status", "refunded");
    expect(nowhere.stdout).toMatch(/^\uFEFFid,.*,metadata\n$/);
    expect(nowhere.stderr).toContain("No payments found by --status refunded");
  });

  test.each([
    ["json", '{"object":"list","url":"/v1/payments","data":[],"has_more":false}\n', ""],
    ["ndjson", "", ""],
    ["csv", "id,card.last4\n", nothing],
    ["table", "", nothing],
  ])("of nothing is 0, as %s", async (format, stdout, stderr) => {
    const home = createTemporaryHome();
    const args = ["list", "-o", format, "--fields", "id,card.last4"];
    const expected = { stdout, stderr, exitCode: 0 };
    expect(await runPayments(args, { home })).toEqual(expected);
    expect(await runPayments([...args, "--all"], { home })).toEqual(expected);
  });

  test.each(["csv", "ndjson", "table"])(
    "that ends with an empty page is not empty, as %s",
    async (format) => {
      const page = { object: "list", url: "/v1/payments", data: [] as unknown[], has_more: false };
      const server = await scriptedServer(
        json(200, { ...page, data: paymentNumbers(1, 1), has_more: true }),
        json(200, page),
      );
      const env = createServiceEnv(server.url);
      const ran = await runPayments(["list", "--all", "-o", format], { env });
      expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
      expect(ran.stdout).toContain(paymentNumbers(1, 1)[0]?.id);
    },
  );

  test("sends the given filters and no other", async () => {
    const server = await emptyList();
    const env = { PAYMENTS_API_KEY: someKeys.test, TZ: "UTC" };
    const filters = "--status pending --created-gte 1767225600 --created-lt 2026-01-02";
    const range = `--starting-after pay_9 --limit 3 --base-url ${server.url}`;
    await runPayments(["list", ...`${filters} ${range}`.split(" ")], { env });
    const query = new URL(server.url + server.requests[0]?.path).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      limit: "3",
      status: "pending",
      "created[gte]": "1767225600",
      "created[lt]": "1767312000",
      starting_after: "pay_9",
    });
  });

  test("sends the parameters of a search, and with --all in each request", async () => {
    const server = await scriptedServer(holding(250));
    const env = { PAYMENTS_API_KEY: someKeys.test };
    const search = ["--search", "two  words", "--metadata", "a]b=c&d", "--decline-code"];
    const args = ["list", ...search, "expired_card", "--all", "--json"];
    await runPayments([...args, "--base-url", server.url], { env });
    const queries = server.requests.map(({ path }) =>
      Object.fromEntries(new URL(server.url + path).searchParams),
    );
    expect(queries).toHaveLength(3);
    for (const { starting_after: _, ...query } of queries) {
      expect(query).toEqual({
        limit: "100",
        search: "two  words",
        decline_code: "expired_card",
        "metadata[a]b]": "c&d",
      });
    }
  });

  test("says that a service of an older version may not know a filter", async () => {
    const server = await scriptedServer(refusal(400, "parameter_unknown"));
    const args = ["list", "--search", "ada", "--base-url", server.url, "--json"];
    const ran = await runPayments(args, { env: { PAYMENTS_API_KEY: someKeys.test } });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({
      hint: "A service of an older version may not know this parameter yet.",
    });
  });

  test("of nothing found names what it was searched by, where, and how words match", async () => {
    const searched = ["--search", "o'neil 49.99", "--status", "failed", "--metadata", "a=1"];
    const { stdout, stderr, exitCode } = await list(...searched);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 0 });
    expect(stderr).toBe(
      `No payments found by --status failed --search 'o'\\''neil 49.99' --metadata a=1 in test mode of the account Default, at ${service.url}.\n${howWordsMatch}\n`,
    );
    const withoutWords = await list("--email", "nobody@example.com");
    expect(withoutWords.stderr).toBe(
      `No payments found by --email nobody@example.com in test mode of the account Default, at ${service.url}.\n`,
    );
  });

  test("of nothing on a service that does not say whose key it is names the service alone", async () => {
    const server = await emptyList();
    const { stderr } = await runPayments(["list"], { env: createServiceEnv(server.url) });
    expect(stderr).toBe(`No payments in test mode, at ${server.url}.\n`);
  });
});

async function emptyList() {
  const empty = { object: "list", url: "/v1/payments", data: [], has_more: false };
  return await scriptedServer(json(200, empty));
}

/** Newest first. */
let ids: string[] = [];

beforeAll(async () => {
  const { payments } = service.client({ apiKey: service.keys.live });
  const count = Array.from({ length: 250 });
  const created = await Promise.all(count.map(async () => payments.create(body)));
  ids = created
    .map(({ id }) => id)
    .toSorted()
    .toReversed();
});

async function listMany(...args: string[]): Promise<Ran> {
  const env = createServiceEnv(service.url, service.keys.live);
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
    const [asText, asJson] = await Promise.all([listMany(), listMany("--json")]);
    expect(asText.stdout.trimEnd().split("\n")).toHaveLength(11);
    expect(asText.stderr).toBe(`There are older ones: --starting-after ${ids[9]}, or --all\n`);
    expect(parseIds(asJson)).toEqual(ids.slice(0, 10));
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
    const ran = await listMany("--json", "--limit", String(limit));
    expect(parseIds(ran)).toEqual(ids.slice(0, limit));
    expect(parseList(ran)).toMatchObject({ object: "list", has_more: more });
  });

  test("has every payment with --all, requested in pages of a hundred", async () => {
    const server = await scriptedServer(forward(service.url));
    const ran = await listMany("--json", "--all", "--base-url", server.url);
    expect(parseIds(ran)).toEqual(ids);
    expect(parseList(ran).has_more).toBe(false);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/payments?limit=100",
      `/v1/payments?limit=100&starting_after=${ids[99]}`,
      `/v1/payments?limit=100&starting_after=${ids[199]}`,
    ]);
  });

  test.each(["--all", "--limit 250", "--limit 130"])(
    "with %s has the same payments as JSON lines and as CSV",
    async (flags) => {
      const args = flags.split(" ");
      const [asJson, asLines, asCsv] = await Promise.all([
        listMany(...args, "--json"),
        listMany(...args, "-o", "ndjson"),
        listMany(...args, "-o", "csv"),
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
    const ran = await listMany("--json", "--limit", "150", "--starting-after", ids[49] ?? "");
    expect(parseIds(ran)).toEqual(ids.slice(50, 200));
    const last = await listMany("--starting-after", ids[239] ?? "");
    expect(last.stdout.trimEnd().split("\n")).toHaveLength(11);
    expect(last.stderr).toBe("");
  });

  test("with --ending-before gives the newer ones, newest first", async () => {
    const [ran, asText] = await Promise.all([
      listMany("--json", "--limit", "150", "--ending-before", ids[200] ?? ""),
      listMany("--limit", "150", "--ending-before", ids[200] ?? ""),
    ]);
    expect(parseIds(ran)).toEqual(ids.slice(50, 200));
    expect(parseList(ran).has_more).toBe(true);
    expect(asText.stderr).toBe(`There are newer ones: --ending-before ${ids[50]}\n`);
    const first = await listMany("--json", "--ending-before", ids[5] ?? "");
    expect(parseIds(first)).toEqual(ids.slice(0, 5));
    expect(parseList(first).has_more).toBe(false);
  });

  test.each(["ndjson", "csv"])(
    "with --ending-before is newest first as %s too, over several pages",
    async (format) => {
      const args = ["--limit", "150", "--ending-before", ids[200] ?? "", "-o", format];
      const ran = await listMany(...args);
      const found =
        format === "csv"
          ? parseCsvIds(ran)
          : ran.stdout
              .trimEnd()
              .split("\n")
              .map((line) => (JSON.parse(line) as Payment).id);
      expect(found).toEqual(ids.slice(50, 200));
      expect(ran.stderr).toBe(
        format === "csv" ? `There are newer ones: --ending-before ${ids[50]}\n` : "",
      );
    },
  );
});
