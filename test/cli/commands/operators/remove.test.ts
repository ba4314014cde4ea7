import { describe, expect, test } from "vitest";
import { newHome } from "../../../testkit/command/temporary-home.ts";
import { errorIn, printed, runPayments } from "../../../testkit/command/run-payments.ts";
import { inviteOperator, listedOperators } from "../../../testkit/command/invite-operator.ts";

describe.concurrent("payments operators remove", () => {
  test("removes only the named operator, and a second time fails", async () => {
    const home = newHome();
    const { invitation: _, ...ada } = await inviteOperator(home);
    const { invitation: __, ...bob } = await inviteOperator(home);
    const args = ["operators", "remove", ada.id, "--json"];
    const removed = printed(await runPayments(args, { home }));
    expect(removed).toEqual({ ...ada, status: "removed", accounts: [] });
    expect(await listedOperators(home)).toEqual({ object: "list", data: [bob] });
    const again = await runPayments(args, { home });
    expect(again.exitCode).toBe(5);
    expect(errorIn(again)).toMatchObject({ hint: "See payments operators list." });
  });

  test("does not remove the last admin: exit 6", async () => {
    const home = newHome();
    const { invitation: _, ...ada } = await inviteOperator(home);
    const ran = await runPayments(["operators", "remove", ada.id, "--json"], { home });
    expect(ran.exitCode).toBe(6);
    expect(errorIn(ran)).toMatchObject({
      code: "last_admin",
      message: "This is the last admin of an account. Nothing was changed.",
    });
    expect(await listedOperators(home)).toEqual({ object: "list", data: [ada] });
  });
});
