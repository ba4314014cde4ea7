import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { createAccount } from "../../../testkit/command/make-account.ts";

describe.concurrent("payments accounts list", () => {
  test("shows the one account of a new database", async () => {
    expect(parsePrinted(await runPayments(["accounts", "list", "--json"]))).toEqual({
      object: "list",
      data: [
        {
          id: expect.stringMatching(/^acct_/) as unknown,
          object: "account",
          name: "Default",
          default_version: "2026-11-01",
          created: expect.any(Number) as unknown,
        },
      ],
    });
  });

  test("shows every account, oldest first; two may have the same name", async () => {
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
});
