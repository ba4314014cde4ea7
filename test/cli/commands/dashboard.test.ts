import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBoundService } from "../../testkit/service/bind-use-cases.ts";
import { createHomeWithDatabase, databaseOfHome } from "../../testkit/database/open-database.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createAccount,
  inviteOperator,
  listAccounts,
  listOperators,
} from "../../testkit/command/prepare-home.ts";
import { parseError, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

const noBrowser = { BROWSER: "/none", PATH: "/none" };

/** A service that answers requests for the sign-in page with this. */
async function serveDashboard(status: number): Promise<string> {
  const server = createServer(({ method, url }, answer) => {
    const isAsked = method === "GET" && url === "/dashboard/sign-in";
    answer.writeHead(isAsked ? status : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("payments dashboard", () => {
  test("invites the first admin, of all accounts, with the name of the system's user", async () => {
    const home = await createHomeWithDatabase();
    const url = await serveDashboard(200);
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const args = ["dashboard", "--public-url", url, "--json"];
    const operator = parsePrinted(await runPayments(args, { home, env: noBrowser }));
    const accounts = [first?.id, books.id];
    const admin = { name: userInfo().username, role: "admin", accounts, status: "invited" };
    expect(operator).toMatchObject(admin);
    expect(operator["invitation"]).toMatchObject({
      url: expect.stringMatching(new RegExp(`^${url}/dashboard/invitations/\\w{43}$`)) as unknown,
    });
    expect(await listOperators(home)).toMatchObject({ data: [admin] });
  });

  test.each([
    ["by --name", ["--name", "Ada L."], "Ada L."],
    ["by the user behind sudo", [], "ada"],
  ])("names the first admin %s", async (_, named, name) => {
    const home = await createHomeWithDatabase();
    const url = await serveDashboard(200);
    const args = ["dashboard", ...named, "--public-url", url, "--json"];
    const env = { ...noBrowser, SUDO_USER: "ada" };
    expect(parsePrinted(await runPayments(args, { home, env }))).toMatchObject({ name });
    const { service, close } = await openBoundService({
      database: databaseOfHome(home).PAYMENTS_DATABASE ?? `sqlite:${home}/payments.db`,
    });
    const [account] = await service.listAccounts();
    const { items } = await service.listActivity(account?.id ?? "", {});
    await close();
    expect(items[0]?.actor.name).toBe(`ada (${userInfo().username})`);
  });

  test("creates a new link for the named operator, and notes that no browser could be started", async () => {
    const home = await createHomeWithDatabase();
    const url = await serveDashboard(200);
    const { id } = await inviteOperator(home);
    const args = ["dashboard", "--operator", id, "--public-url", url];
    const ran = await runPayments(args, { home, env: noBrowser });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(new RegExp(`^${url}/dashboard/invitations/`));
    expect(ran.stderr).toMatch(/^No browser could be started/);
    expect(await listOperators(home)).toMatchObject({ data: [{ id }] });
  });

  test("lists the operators and exits with 2 if there are several and --operator is missing", async () => {
    const home = await createHomeWithDatabase();
    const url = await serveDashboard(200);
    const { id } = await inviteOperator(home);
    const args = ["dashboard", "--public-url", url, "--json"];
    const ran = await runPayments(args, { home, env: noBrowser });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["hint"]).toBe(`Give the id of one: ${id} (Ada).`);
  });

  test("exits with 5 for an unknown operator", async () => {
    const home = await createHomeWithDatabase();
    const url = await serveDashboard(200);
    const args = ["dashboard", "--operator", "op_none", "--public-url", url];
    const ran = await runPayments(args, { home, env: noBrowser });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
  });

  test("exits with 9 where there is no database, and creates none", async () => {
    const home = createTemporaryHome();
    const url = await serveDashboard(200);
    const args = ["dashboard", "--public-url", url, "--json"];
    const ran = await runPayments(args, { home, env: noBrowser });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)["message"]).toMatch(/^There is no database of payments at /);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    ["nothing answers", async () => "http://127.0.0.1:1"],
    ["a service has no dashboard", async () => serveDashboard(404)],
  ])("invites nobody if %s: exit 9 with a hint how to start it", async (_, start) => {
    const home = await createHomeWithDatabase();
    const url = await start();
    const args = ["dashboard", "--public-url", url, "--json"];
    const ran = await runPayments(args, { home, env: noBrowser });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({
      message: `No dashboard answers at ${url}. Nobody was invited.`,
      hint: "Start it with payments serve --dashboard, or give its address with --public-url.",
    });
    expect(await listOperators(home)).toEqual({ object: "list", data: [] });
  });
});
