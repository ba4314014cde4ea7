import { userInfo } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import type { Activity } from "../../../../src/contract/administration.ts";
import type { ListPart } from "../../../../src/contract/list.ts";
import {
  createAccount,
  inviteOperator,
  listAccounts,
} from "../../../testkit/command/prepare-home.ts";
import { parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { createHomeWithDatabase } from "../../../testkit/database/open-database.ts";

const home = await createHomeWithDatabase();
const user = userInfo().username;
const newKey = ["keys", "create", "--mode", "test", "--name"];

beforeAll(async () => {
  for (const name of ["one", "=two"]) await runPayments([...newKey, name], { home });
  await inviteOperator(home, ["--name", "Ada", "--role", "admin"]);
});

const run = async (...args: string[]) => runPayments(["activity", "list", ...args], { home });
const listEntries = async (...args: string[]) =>
  parsePrinted(await run(...args, "--json")) as ListPart<Activity>;
const subjectsOf = ({ data }: ListPart<Activity>) => data.map(({ subject }) => subject.name);

describe.concurrent("payments activity list", () => {
  test("prints the audit log of the account, newest first", async () => {
    const list = await listEntries();
    expect(subjectsOf(list)).toEqual(["Ada", "=two", "one"]);
    expect(list.has_more).toBe(false);
    expect(list.data[0]).toEqual({
      id: expect.stringMatching(/^act_/) as unknown,
      object: "activity",
      account: (await listAccounts(home))[0]?.id,
      livemode: null,
      actor: { type: "command", id: null, name: user },
      action: "operator.invited",
      subject: { id: expect.stringMatching(/^op_/) as unknown, name: "Ada" },
      detail: "admin",
      created: expect.any(Number) as unknown,
    });
  });

  test("goes from page to page, and says how", async () => {
    const { stdout, stderr } = await run(
      "--limit",
      "2",
      "-o",
      "csv",
      "--fields",
      "id,subject.name",
    );
    const [heading, , two = ""] = stdout.split("\n");
    expect([heading, two.split(",")[1]]).toEqual(["id,subject.name", "'=two"]);
    const id = two.split(",")[0] ?? "";
    expect(stderr).toBe(`There are older ones: --starting-after ${id}, or --all\n`);
    expect(subjectsOf(await listEntries("--starting-after", id))).toEqual(["one"]);
    expect(subjectsOf(await listEntries("--ending-before", id))).toEqual(["Ada"]);
    const lines = (await run("--all", "-o", "ndjson")).stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Activity).action)).toEqual([
      "operator.invited",
      "api_key.created",
      "api_key.created",
    ]);
  });

  test("narrows by action, actor and time", async () => {
    expect(subjectsOf(await listEntries("--action", "operator.invited"))).toEqual(["Ada"]);
    expect(subjectsOf(await listEntries("--actor", user, "--limit", "1"))).toEqual(["Ada"]);
    expect(subjectsOf(await listEntries("--actor", "Ada"))).toEqual([]);
    expect(subjectsOf(await listEntries("--since", "1h"))).toHaveLength(3);
    expect(await run("--since", "2999-01-01")).toEqual({
      stdout: "",
      stderr: "No audit entries.\n",
      exitCode: 0,
    });
  });

  test("prints a table", async () => {
    const [heading, first] = (await run()).stdout.split("\n");
    expect(heading).toMatch(/^CREATED +ACTOR +ACTION +SUBJECT +DETAIL +MODE +ID$/);
    expect(first).toContain(` ${user} (command)  operator.invited  Ada      admin `);
  });

  test("asks which account where there are several", async () => {
    const several = await createHomeWithDatabase();
    const [first] = await listAccounts(several);
    const other = await createAccount(several, "Books");
    const options = { home: several };
    const unnamed = await runPayments(["activity", "list"], options);
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([2, expect.stringContaining(other.id)]);
    const args = ["activity", "list", "--json", "--account"];
    const ofOther = parsePrinted(await runPayments([...args, other.id], options));
    expect(ofOther).toMatchObject({ data: [{ action: "account.created" }] });
    const ofFirst = parsePrinted(await runPayments([...args, first?.id ?? ""], options));
    expect(ofFirst).toMatchObject({ data: [] });
  });
});
