import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { listAccounts, createAccount } from "../../../testkit/command/make-account.ts";
import { runPayments } from "../../../testkit/command/run-payments.ts";
import { inviteOperator, listOperators } from "../../../testkit/command/invite-operator.ts";

describe.concurrent("payments operators list", () => {
  test("lists operators without their links, all of them or an account's", async () => {
    const home = createTemporaryHome();
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
    const ran = await runPayments(["operators", "list"]);
    expect(ran).toEqual({
      stdout: "",
      stderr: "No operators. Invite one with payments operators invite.\n",
      exitCode: 0,
    });
  });
});
