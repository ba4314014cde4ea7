import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { listAccounts, createAccount } from "../../../testkit/command/make-account.ts";

describe.concurrent("payments accounts rename", () => {
  test("renames only the named account", async () => {
    const home = createTemporaryHome();
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const args = ["accounts", "rename", books.id, "--name", " Books & Co ", "--json"];
    const renamed = { ...books, name: "Books & Co" };
    expect(parsePrinted(await runPayments(args, { home }))).toEqual(renamed);
    expect(await listAccounts(home)).toEqual([first, renamed]);
  });

  test("exits with 5 for an unknown id, and does not repeat it", async () => {
    const typed = `svc_live_sk_${"a".repeat(43)}`;
    const ran = await runPayments(["accounts", "rename", typed, "--name", "Books", "--json"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(parseError(ran)).toMatchObject({
      code: "not_found",
      hint: "See payments accounts list.",
    });
    expect(ran.stderr).not.toContain(typed);
  });
});
