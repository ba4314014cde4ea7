import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { listAccounts } from "../../../testkit/command/make-account.ts";

describe.concurrent("payments accounts create", () => {
  test("creates a second account beside the database's first one", async () => {
    const home = createTemporaryHome();
    const ran = await runPayments(["accounts", "create", "--name", " Books & Co ", "--json"], {
      home,
    });
    const made = parsePrinted(ran);
    expect(ran.exitCode).toBe(0);
    expect(Object.entries(made)).toEqual([
      ["id", expect.stringMatching(/^acct_[0-9a-f]{8}-[0-9a-f]{4}-7/)],
      ["object", "account"],
      ["name", "Books & Co"],
      ["default_version", "2026-11-01"],
      ["created", expect.any(Number)],
    ]);
    expect(await listAccounts(home)).toEqual([expect.objectContaining({ name: "Default" }), made]);
  });

  test("prints the account as text", async () => {
    const ran = await runPayments(["accounts", "create", "--name", "Books & Co"]);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toMatch(/^ID +acct_\S+\nName +Books & Co\nVersion +2026-11-01\nCreated /);
  });

  test("stores the pinned API version", async () => {
    for (const date of ["2026-11-01", "2031-02-28", "2020-01-01"]) {
      const args = ["accounts", "create", "--name", "Books", "--default-version", date, "--json"];
      expect(parsePrinted(await runPayments(args))).toMatchObject({
        default_version: "2026-11-01",
      });
    }
  });

  test.each([" \t ", "a\nb", "4242 4242 4242 4242"])("refuses the name %j", async (name) => {
    const home = createTemporaryHome();
    const ran = await runPayments(["accounts", "create", "--name", name, "--json"], { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(parseError(ran).message).toMatch(/^--name /);
    expect(await listAccounts(home)).toHaveLength(1);
  });
});
