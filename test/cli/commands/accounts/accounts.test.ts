import { describe, expect, test } from "vitest";
import { createHomeWithDatabase } from "../../../testkit/database/open-database.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { listAccounts, createAccount } from "../../../testkit/command/prepare-home.ts";

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
    const home = await createHomeWithDatabase();
    const ran = await runPayments(["accounts", "create", "--name", name, "--json"], { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(parseError(ran).message).toMatch(/^--name /);
    expect(await listAccounts(home)).toHaveLength(1);
  });
});

test.concurrent("payments accounts list shows every account, oldest first; two may have the same name", async () => {
  const home = createTemporaryHome();
  const made = [await createAccount(home, "Books"), await createAccount(home, "Books")];
  const asJson = parsePrinted(await runPayments(["accounts", "list", "--json"], { home }));
  expect((asJson["data"] as unknown[]).slice(1)).toEqual(made);
  const asText = await runPayments(["accounts", "list"], { home });
  const lines = asText.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ID +NAME +VERSION +CREATED$/);
  expect(lines[1]).toMatch(/^acct_\S+ +Default +2026-11-01 +\d{4}-/);
  expect(lines[3]).toContain(made[1]?.id);
  const asCsv = await runPayments(["accounts", "list", "-o", "csv"], { home });
  expect(asCsv.stdout).toMatch(/^id,object,name,default_version,created\r?\nacct_/);
});

describe.concurrent("payments accounts rename", () => {
  test("renames only the named account", async () => {
    const home = await createHomeWithDatabase();
    const [first] = await listAccounts(home);
    const books = await createAccount(home, "Books");
    const args = ["accounts", "rename", books.id, "--name", " Books & Co ", "--json"];
    const renamed = { ...books, name: "Books & Co" };
    expect(parsePrinted(await runPayments(args, { home }))).toEqual(renamed);
    expect(await listAccounts(home)).toEqual([first, renamed]);
  });

  test("exits with 5 for an unknown id, and does not repeat it", async () => {
    const typed = `svc_live_sk_${"a".repeat(43)}`;
    const home = await createHomeWithDatabase();
    const args = ["accounts", "rename", typed, "--name", "Books", "--json"];
    const ran = await runPayments(args, { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(parseError(ran)).toMatchObject({
      code: "not_found",
      hint: "See payments accounts list.",
    });
    expect(ran.stderr).not.toContain(typed);
  });
});
