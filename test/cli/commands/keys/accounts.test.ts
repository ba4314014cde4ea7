import { describe, expect, test } from "vitest";
import type { ApiKey } from "../../../../src/contract/administration.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import { listAccounts, createAccount } from "../../../testkit/command/prepare-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";

/** A home with two accounts, and a key of each. */
async function createTwoAccounts() {
  const home = createTemporaryHome();
  const run = async (...args: string[]) => runPayments(["keys", ...args, "--json"], { home });
  await createAccount(home, "Books & Co");
  const accounts = await listAccounts(home);
  const keys: ApiKey[] = [];
  for (const { id } of accounts) {
    const { key: _, ...key } = parsePrinted(await run(...create, "--account", id));
    keys.push(key as ApiKey);
  }
  const [first, second] = accounts.map(({ id }, at) => ({ account: id, key: keys[at]! }));
  return { home, run, first: first!, second: second! };
}

const create = ["create", "--mode", "test", "--name", "ci"];

describe.concurrent("keys of several accounts", () => {
  test("are listed for all accounts, or for one", async () => {
    const { home, run, first, second } = await createTwoAccounts();
    expect(parsePrinted(await run("list"))["data"]).toEqual([first.key, second.key]);
    for (const { account, key } of [first, second])
      expect(parsePrinted(await run("list", "--account", account))["data"]).toEqual([key]);
    const { stdout } = await runPayments(["keys", "list"], { home });
    expect(stdout).toMatch(/^ID +ACCOUNT +MODE/);
    expect(stdout).toContain(second.account);
  });

  test("can be rolled and revoked only with their own account named", async () => {
    const { run, first, second } = await createTwoAccounts();
    for (const verb of ["roll", "revoke"]) {
      const refused = await run(verb, first.key.id, "--account", second.account);
      expect(refused).toMatchObject({ stdout: "", exitCode: 5 });
    }
    expect(parsePrinted(await run("list"))["data"]).toEqual([first.key, second.key]);
    const rolled = parsePrinted(await run("roll", first.key.id, "--account", first.account));
    expect(rolled).toMatchObject({ account: first.account, name: "ci" });
    const revoked = parsePrinted(await run("revoke", second.key.id, "--account", second.account));
    expect(revoked).toMatchObject({ id: second.key.id, account: second.account });
  });

  test.each([["list"], ["roll", "key_1"], ["revoke", "key_1"]])(
    "of an unknown account are exit 5: %s",
    async (...args) => {
      const home = createTemporaryHome();
      await runPayments(["migrate"], { home });
      const ran = await runPayments(["keys", ...args, "--account", "acct_none", "--json"], {
        home,
      });
      expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
      expect(parseError(ran)).toMatchObject({ message: "There is no account with this id." });
      const listed = await runPayments(["keys", "list", "--json"], { home });
      expect(parsePrinted(listed)["data"]).toEqual([]);
    },
  );
});
