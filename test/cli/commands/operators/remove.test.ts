import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { inviteOperator, listOperators } from "../../../testkit/command/invite-operator.ts";

describe.concurrent("payments operators remove", () => {
  test("removes only the named operator, and a second time fails", async () => {
    const home = createTemporaryHome();
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
    const home = createTemporaryHome();
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
