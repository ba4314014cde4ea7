import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { openBoundService } from "../../../testkit/service/bind-use-cases.ts";
import {
  createAccount,
  inviteOperator,
  listAccounts,
  listOperators,
} from "../../../testkit/command/prepare-home.ts";
import { parseError, runPayments, parsePrinted } from "../../../testkit/command/run-payments.ts";
import { createHomeWithDatabase, databaseOfHome } from "../../../testkit/database/open-database.ts";
import { listening, runningService } from "../../../testkit/client/running-service.ts";
import { freePort } from "../../../testkit/sockets/tcp-proxy.ts";

const withoutDashboard = runningService();
const anAdmin = ["--name", "Ada", "--role", "admin"];

const findToken = (url: string) => url.split("/").at(-1) ?? "";

describe.concurrent("payments operators invite", () => {
  test("prints the operator, with a link that is valid for 15 minutes", async () => {
    const home = await createHomeWithDatabase();
    const fromSeconds = Math.floor(Date.now() / 1000);
    const operator = await inviteOperator(home);
    const toSeconds = Math.ceil(Date.now() / 1000);
    const [account] = await listAccounts(home);
    expect(operator).toEqual({
      id: expect.stringMatching(/^op_[0-9a-f-]{36}$/) as unknown,
      object: "operator",
      name: "Ada",
      role: "admin",
      accounts: [account?.id],
      status: "invited",
      created: expect.any(Number) as unknown,
      last_seen_at: null,
      invitation: {
        url: expect.stringMatching(
          /^http:\/\/127\.0\.0\.1:8402\/dashboard\/invitations\/[A-Za-z0-9]{43}$/,
        ) as unknown,
        expires_at: expect.any(Number) as unknown,
      },
    });
    expect(operator.invitation.expires_at).toBeGreaterThanOrEqual(fromSeconds + 15 * 60);
    expect(operator.invitation.expires_at).toBeLessThanOrEqual(toSeconds + 15 * 60);
  });

  const warning = "The link signs in once, within 15 minutes. Anyone who has it can use it.\n";

  test("prints the link on standard output, and the warning on standard error", async ({
    onTestFinished,
  }) => {
    const home = await createHomeWithDatabase();
    const { url } = await listening({ dashboard: {} }, {}, onTestFinished);
    const args = ["operators", "invite", ...anAdmin, "--public-url", url];
    const ran = await runPayments(args, { home });
    expect(ran).toMatchObject({ exitCode: 0, stderr: warning });
    expect(ran.stdout).toContain(`${url}/dashboard/invitations/`);
  });

  test("leads to the service of this machine, by its variables", async ({ onTestFinished }) => {
    const home = await createHomeWithDatabase();
    const { url } = await listening({ dashboard: {} }, {}, onTestFinished);
    const env = { PAYMENTS_HOST: "0.0.0.0", PAYMENTS_PORT: new URL(url).port };
    const ran = await runPayments(["operators", "invite", ...anAdmin], { home, env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: warning });
    expect(ran.stdout).toContain(`${url}/dashboard/invitations/`);
  });

  test.each([
    ["nothing answers", async () => `http://127.0.0.1:${await freePort()}`],
    ["a service without a dashboard answers", async () => withoutDashboard.url],
  ])("prints the link where %s, and says so, but not with --json", async (_, find) => {
    const home = await createHomeWithDatabase();
    const url = await find();
    const args = ["operators", "invite", ...anAdmin, "--public-url", url];
    const ran = await runPayments(args, { home });
    expect(ran.exitCode).toBe(0);
    const id = /op_[0-9a-f-]{36}/.exec(ran.stdout)?.[0];
    expect(ran.stdout).toContain(`${url}/dashboard/invitations/`);
    expect(ran.stderr).toBe(
      `${warning}No dashboard answers at ${url} now. Start one with payments serve --dashboard, or invite again with --id ${id} and the right --public-url.\n`,
    );
    expect(await runPayments([...args, "--json"], { home })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
  });

  test.each([
    [{ PAYMENTS_HOST: "192.0.2.2" }, /^PAYMENTS_HOST is another address than this machine's own/],
    [{ PAYMENTS_PORT: "0" }, /^PAYMENTS_PORT names no port/],
  ])("invites nobody with %j, and asks for --public-url", async (env, message) => {
    const home = await createHomeWithDatabase();
    const args = ["operators", "invite", ...anAdmin, "--json"];
    const ran = await runPayments(args, { home, env });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({
      message: expect.stringMatching(message) as unknown,
      hint: expect.stringContaining("--public-url") as unknown,
    });
    expect(await listOperators(home)).toMatchObject({ data: [] });
  });

  test("creates a link to --public-url, by https or on this machine", async () => {
    const home = await createHomeWithDatabase();
    const url = "https://payments.example.com/";
    const { invitation } = await inviteOperator(home, [...anAdmin, "--public-url", url]);
    expect(invitation.url).toMatch(
      /^https:\/\/payments\.example\.com\/dashboard\/invitations\/\w+$/,
    );
    const args = ["operators", "invite", ...anAdmin, "--public-url", "http://payments.example.com"];
    const refused = await runPayments([...args, "--json"], { home });
    expect(refused.exitCode).toBe(2);
    expect(parseError(refused)["message"]).toMatch(/^--public-url must be https/);
  });

  test("invites to the named accounts, or to all, oldest first", async () => {
    const home = await createHomeWithDatabase();
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const flowers = await createAccount(home, "Flowers");
    const named = [...anAdmin, "--account", flowers.id, "--account", books.id];
    expect(await inviteOperator(home, named)).toMatchObject({ accounts: [books.id, flowers.id] });
    const all = [first?.id, books.id, flowers.id];
    expect(await inviteOperator(home, [...anAdmin, "--all-accounts"])).toMatchObject({
      accounts: all,
    });
    const unnamed = await runPayments(["operators", "invite", ...anAdmin, "--json"], { home });
    expect(unnamed.exitCode).toBe(2);
    expect(parseError(unnamed)).toMatchObject({
      message: "Missing --account: there are 3 accounts.",
      hint: expect.stringMatching(/^Give --all-accounts, or the id of each: acct_/) as unknown,
    });
    const unknown = [...anAdmin, "--account", books.id, "--account", "acct_none"];
    const missing = await runPayments(["operators", "invite", ...unknown], { home });
    expect(missing.exitCode).toBe(5);
  });

  test("creates a new link with --id, ends the previous one, and can change the role", async () => {
    const home = await createHomeWithDatabase();
    await inviteOperator(home);
    const bob = await inviteOperator(home, ["--name", "Bob", "--role", "viewer"]);
    const again = await inviteOperator(home, ["--id", bob.id]);
    expect(again).toEqual({ ...bob, invitation: expect.anything() as unknown });
    expect(again.invitation.url).not.toBe(bob.invitation.url);
    const raised = await inviteOperator(home, ["--id", bob.id, "--role", "support"]);
    expect(raised).toMatchObject({ id: bob.id, name: "Bob", role: "support" });
    const database = databaseOfHome(home).PAYMENTS_DATABASE ?? `sqlite:${home}/payments.db`;
    const { service, close } = await openBoundService({ database });
    expect(await service.findInvitation(findToken(bob.invitation.url))).toBeUndefined();
    expect(await service.findInvitation(findToken(again.invitation.url))).toBeUndefined();
    const found = await service.findInvitation(findToken(raised.invitation.url));
    expect(found?.operator).toMatchObject({ id: bob.id, role: "support" });
    const { items } = await service.listActivity(bob.accounts[0] ?? "", {});
    await close();
    expect(items.map(({ action, detail }) => [action, detail])).toEqual([
      ["operator.invited", "support"],
      ["operator.role_changed", "support"],
      ["operator.invited", "viewer"],
      ["operator.invited", "viewer"],
      ["operator.invited", "admin"],
    ]);
    const actor = { type: "command", id: null, name: userInfo().username };
    for (const each of items) expect(each.actor).toEqual(actor);
  });

  test("adds accounts with --id", async () => {
    const home = await createHomeWithDatabase();
    const { id } = await inviteOperator(home);
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const given = await inviteOperator(home, ["--id", id, "--account", books.id]);
    expect(given).toMatchObject({ id, role: "admin", accounts: [first?.id, books.id] });
    const flowers = await createAccount(home, "Flowers");
    const all = [first?.id, books.id, flowers.id];
    expect(await inviteOperator(home, ["--id", id])).toMatchObject({ accounts: all.slice(0, 2) });
    const everything = ["--id", id, "--all-accounts"];
    expect(await inviteOperator(home, everything)).toMatchObject({ accounts: all });
    const unknown = ["operators", "invite", "--id", id, "--account", "acct_none"];
    expect(await runPayments(unknown, { home })).toMatchObject({ exitCode: 5 });
  });
});

describe.concurrent("payments operators list", () => {
  test("lists operators without their links, all of them or an account's", async () => {
    const home = await createHomeWithDatabase();
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const own = ["--account", first?.id ?? ""];
    const { invitation: _, ...ada } = await inviteOperator(home, [
      "--name=Ada",
      "--role=admin",
      "--all-accounts",
    ]);
    const { invitation: __, ...bob } = await inviteOperator(home, [
      "--name=Bob",
      "--role=viewer",
      `--account=${books.id}`,
    ]);
    expect(await listOperators(home)).toEqual({ object: "list", data: [ada, bob] });
    expect(await listOperators(home, own)).toEqual({ object: "list", data: [ada] });
    const table = await runPayments(["operators", "list"], { home });
    expect(table.stdout).toMatch(/^ID +NAME +ROLE +STATE +LAST SEEN +ACCOUNTS\n/);
    expect(table.stdout).toMatch(new RegExp(`${bob.id} +Bob +viewer +invited +never +${books.id}`));
    expect(table.stdout).not.toContain("invitations");
  });

  test("names the command to invite one if there are none", async () => {
    const home = await createHomeWithDatabase();
    expect(await runPayments(["operators", "list"], { home })).toEqual({
      stdout: "",
      stderr: "No operators. Invite one with payments operators invite.\n",
      exitCode: 0,
    });
  });
});

describe.concurrent("payments operators remove", () => {
  test("removes only the named operator, and a second time fails", async () => {
    const home = await createHomeWithDatabase();
    const { invitation: _, ...ada } = await inviteOperator(home);
    const { invitation: __, ...bob } = await inviteOperator(home);
    const args = ["operators", "remove", ada.id, "--json"];
    const removed = parsePrinted(await runPayments(args, { home }));
    expect(removed).toEqual({ ...ada, status: "removed", accounts: [] });
    expect(await listOperators(home)).toEqual({ object: "list", data: [bob] });
    const again = await runPayments(args, { home });
    expect(again.exitCode).toBe(5);
    expect(parseError(again)).toMatchObject({ hint: "See payments operators list." });
  });

  test("does not remove the last admin: exit 6", async () => {
    const home = await createHomeWithDatabase();
    const { invitation: _, ...ada } = await inviteOperator(home);
    const ran = await runPayments(["operators", "remove", ada.id, "--json"], { home });
    expect(ran.exitCode).toBe(6);
    expect(parseError(ran)).toMatchObject({
      code: "last_admin",
      message: "This is the last admin of an account. Nothing was changed.",
    });
    expect(await listOperators(home)).toEqual({ object: "list", data: [ada] });
  });
});
