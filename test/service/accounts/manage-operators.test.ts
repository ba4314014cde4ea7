import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/service/ports/activity.ts";
import { openNewStore, startMs, startSeconds } from "../../testkit/service/open-test-service.ts";
import { command, openWithOperators } from "../../testkit/service/open-with-operators.ts";

const minuteMs = 60_000;

describe("inviting an operator", () => {
  test("makes a link of 256 random bits that tells whom it is for, for 15 minutes", async () => {
    const { service, time, first, second } = await openWithOperators();
    const request = { name: "Ada", role: "support", accounts: [second, first] } as const;
    const { operator, token, expiresAtMs } = await service.inviteOperator(request, command);
    expect(operator).toEqual({
      id: expect.stringMatching(/^op_[0-9a-f-]{36}$/) as unknown,
      object: "operator",
      name: "Ada",
      role: "support",
      accounts: [first, second],
      status: "invited",
      created: startSeconds,
      last_seen_at: null,
    });
    expect(token).toMatch(/^[A-Za-z0-9]{43}$/);
    expect(expiresAtMs).toBe(startMs + 15 * minuteMs);
    time.nowMs = expiresAtMs - 1;
    const accounts = [{ id: first }, { id: second, name: "Books" }];
    expect(await service.findInvitation(token)).toMatchObject({ operator, accounts });
    expect(await service.findInvitation(`${token.slice(0, -1)}!`)).toBeUndefined();
    time.nowMs = expiresAtMs;
    expect(await service.findInvitation(token)).toBeUndefined();
    expect(await service.acceptInvitation(token)).toBeUndefined();
  });

  test("is told in each of the accounts", async () => {
    const { service, done, first, second } = await openWithOperators();
    const request = { name: "Ada", role: "support", accounts: [first, second] } as const;
    const { operator } = await service.inviteOperator(request, command);
    const { id, name } = operator;
    for (const account of [first, second]) {
      expect(await done(account)).toEqual([
        {
          id: expect.stringMatching(/^act_/) as unknown,
          object: "activity",
          account,
          livemode: null,
          actor: command,
          action: "operator.invited",
          subject: { id, name },
          detail: "support",
          created: startSeconds,
        },
      ]);
    }
  });

  test.each([[["acct_none"]], [[]]])("to the accounts %j is refused", async (accounts) => {
    const { service, first } = await openWithOperators();
    const all = accounts.length > 0 ? [first, ...accounts] : accounts;
    const inviting = service.inviteOperator({ name: "Ada", role: "admin", accounts: all }, command);
    await expect(inviting).rejects.toMatchObject({
      name: "PermanentError",
      code: "account_missing",
    });
    expect(await service.listOperators()).toEqual([]);
  });
});

describe("an operator who is there already", () => {
  test("gets a fresh link, and the one before ends; a role that changes is told", async () => {
    const { service, done, first } = await openWithOperators();
    const request = { name: "Ada", role: "viewer", accounts: [first] } as const;
    const { operator, token } = await service.inviteOperator(request, command);
    const { id } = operator;
    const again = await service.reinviteOperator({ id }, command);
    expect(again).toMatchObject({ operator, expiresAtMs: startMs + 15 * minuteMs });
    expect(await service.findInvitation(token)).toBeUndefined();
    const raised = await service.reinviteOperator({ id, role: "support" }, command);
    expect(raised.operator).toEqual({ ...operator, role: "support" });
    expect(await service.findInvitation(again.token)).toBeUndefined();
    expect(await service.findInvitation(raised.token)).toMatchObject({ operator: raised.operator });
    const told = (await done()).map(({ action, detail }) => [action, detail]);
    expect(told).toEqual([
      ["operator.invited", "support"],
      ["operator.role_changed", "support"],
      ["operator.invited", "viewer"],
      ["operator.invited", "viewer"],
    ]);
  });

  test("gets a further account with a fresh link", async () => {
    const { service, signIn, done, first, second } = await openWithOperators();
    const { id } = await signIn({ role: "viewer", accounts: [second] });
    const { operator, token } = await service.reinviteOperator({ id, accounts: [first] }, command);
    expect(operator).toMatchObject({ id, role: "viewer", accounts: [first, second] });
    expect(await service.listOperators(first)).toEqual([operator]);
    expect((await service.findInvitation(token))?.operator).toEqual(operator);
    expect(await done(first)).toMatchObject([{ action: "operator.invited", subject: { id } }]);
    const again = await service.reinviteOperator({ id, accounts: [first, second] }, command);
    expect(again.operator).toEqual(operator);
    const elsewhere = service.reinviteOperator({ id, accounts: ["acct_none"] }, command);
    await expect(elsewhere).rejects.toMatchObject({
      name: "PermanentError",
      code: "account_missing",
    });
    expect(await service.findInvitation(again.token)).toBeDefined();
  });

  test("lets nobody into a further account who was let in by an admin of another one", async () => {
    const { service, signIn, first, second } = await openWithOperators();
    const { actor } = await signIn({ name: "Eve" });
    const { id } = await signIn({ role: "viewer" });
    const { token } = await service.reinviteOperator({ id }, actor);
    const accepted = await service.acceptInvitation(token);
    const evesSecret = accepted?.secret ?? "";
    expect((await service.findSession(evesSecret))?.accounts).toMatchObject([{ id: first }]);
    const given = await service.reinviteOperator({ id, accounts: [second] }, command);
    expect(await service.findSession(evesSecret)).toBeUndefined();
    expect(await service.acceptInvitation(given.token)).toBeDefined();
  });

  test("gets another role, which is told once", async () => {
    const { service, signIn, done } = await openWithOperators();
    const { id } = await signIn({ role: "viewer" });
    const changed = await service.changeRole({ id, role: "support" }, command);
    expect(changed).toMatchObject({ id, role: "support", status: "active" });
    await service.changeRole({ id, role: "support" }, command);
    expect(await service.listOperators()).toMatchObject([{ id, role: "support" }]);
    const told = (await done()).filter(({ action }) => action === "operator.role_changed");
    expect(told).toMatchObject([{ subject: { id, name: "Ada" }, detail: "support" }]);
  });

  test("is removed from one account, and then from the last one for good", async () => {
    const { service, signIn, done, first, second } = await openWithOperators();
    const { id } = await signIn({ role: "support", accounts: [first, second] });
    expect(await service.removeOperator(id, command, second)).toMatchObject({
      status: "active",
      accounts: [first],
    });
    expect(await service.listOperators(second)).toEqual([]);
    expect((await done(second))[0]).toMatchObject({ action: "operator.removed", subject: { id } });
    expect((await done(first))[0]).toMatchObject({ action: "operator.signed_in" });
    const missing = { name: "PermanentError", code: "operator_missing" };
    await expect(service.removeOperator(id, command, second)).rejects.toMatchObject(missing);
    const gone = { status: "removed", accounts: [] };
    expect(await service.removeOperator(id, command)).toMatchObject(gone);
    expect((await done(first))[0]).toMatchObject({ action: "operator.removed", subject: { id } });
    expect(await service.listOperators()).toEqual([]);
    await expect(service.removeOperator(id, command)).rejects.toMatchObject(missing);
    await expect(service.reinviteOperator({ id }, command)).rejects.toMatchObject(missing);
    await expect(service.changeRole({ id, role: "admin" }, command)).rejects.toMatchObject(missing);
  });

  test("is removed from an account, too, that it gets meanwhile", async () => {
    const store = await openNewStore();
    const meanwhile = [async () => service.reinviteOperator({ id, accounts: [second] }, command)];
    const { service, signIn, done, first, second } = await openWithOperators({
      store: {
        ...store,
        removeOperator: async (write) => {
          await meanwhile.pop()?.();
          return await store.removeOperator(write);
        },
      },
    });
    const { id, secret } = await signIn({ role: "viewer" });
    expect(await service.removeOperator(id, command)).toMatchObject({ status: "removed" });
    expect(await service.findSession(secret)).toBeUndefined();
    for (const account of [first, second]) {
      const removals = (await done(account)).filter(({ action }) => action === "operator.removed");
      expect(removals).toMatchObject([{ subject: { id } }]);
    }
  });
});

describe("the last admin of an account stays", () => {
  test.each(["removed", "removed from it", "lowered", "lowered by a link"])(
    "%s is refused",
    async (what) => {
      const { service, signIn, first, second } = await openWithOperators();
      const { id } = await signIn({ accounts: [first, second] });
      await signIn({ accounts: [first] });
      await signIn({ accounts: [second], role: "support" });
      const role = "viewer" as const;
      const changing = {
        removed: async () => service.removeOperator(id, command),
        "removed from it": async () => service.removeOperator(id, command, second),
        lowered: async () => service.changeRole({ id, role }, command),
        "lowered by a link": async () => service.reinviteOperator({ id, role }, command),
      }[what];
      await expect(changing?.()).rejects.toMatchObject({
        name: "PermanentError",
        code: "last_admin",
      });
      const [found] = await service.listOperators();
      expect(found).toMatchObject({ id, role: "admin", accounts: [first, second] });
    },
  );

  test("where two requests at once each take one of two", async () => {
    const { service, signIn, replica, first } = await openWithOperators();
    const [one, other] = [await signIn(), await signIn()];
    const outcomes = await Promise.allSettled([
      service.removeOperator(one.id, other.actor, first),
      (await replica()).removeOperator(other.id, one.actor, first),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await service.listOperators(first)).toHaveLength(1);
  });
});

describe("who may change whom", () => {
  const notAllowed = { name: "PermanentError", code: "not_allowed" };

  test("an admin changes operators whose accounts are all the admin's own, and no others", async () => {
    const { service, signIn, first, second } = await openWithOperators();
    const { actor } = await signIn({ name: "Ada" });
    await signIn({ name: "Root", accounts: [first, second] });
    const own = await signIn({ name: "Bob", role: "viewer" });
    const both = await signIn({ name: "Eve", role: "viewer", accounts: [first, second] });
    const change = { role: "support" } as const;
    const asks = [
      service.changeRole({ id: both.id, ...change }, actor),
      service.reinviteOperator({ id: both.id }, actor),
      service.reinviteOperator({ id: own.id, accounts: [second] }, actor),
      service.removeOperator(both.id, actor),
      service.removeOperator(both.id, actor, second),
      service.inviteOperator({ name: "X", role: "viewer", accounts: [first, second] }, actor),
    ];
    for (const asked of await Promise.allSettled(asks))
      expect(asked).toMatchObject({ status: "rejected", reason: notAllowed });
    expect(await service.changeRole({ id: own.id, ...change }, actor)).toMatchObject(change);
    await service.reinviteOperator({ id: own.id }, actor);
    await service.inviteOperator({ name: "X", role: "viewer", accounts: [first] }, actor);
    const removed = await service.removeOperator(both.id, actor, first);
    expect(removed).toMatchObject({ accounts: [second], status: "active" });
  });

  test("an admin who is removed while asking changes nobody", async () => {
    const store = await openNewStore();
    const removed = async () => service.removeOperator(asking.id, command);
    const { service, signIn, first } = await openWithOperators({
      store: {
        ...store,
        insertOperator: async (write) => {
          if (write.requestedBy) await removed();
          return await store.insertOperator(write);
        },
        changeRole: async (write) => {
          await removed();
          return await store.changeRole(write);
        },
      },
    });
    const { id } = await signIn();
    let asking = await signIn();
    const invited = { name: "X", role: "admin", accounts: [first] } as const;
    const inviting = service.inviteOperator(invited, asking.actor);
    await expect(inviting).rejects.toMatchObject(notAllowed);
    asking = await signIn();
    const changing = service.changeRole({ id, role: "viewer" }, asking.actor);
    await expect(changing).rejects.toMatchObject(notAllowed);
    expect(await service.listOperators()).toMatchObject([{ id, role: "admin" }]);
  });

  test.each(["viewer", "support", "removed", "key"])("a %s changes nobody", async (who) => {
    const { service, signIn, first } = await openWithOperators();
    await signIn();
    const other = await signIn({ role: "viewer" });
    const role = who === "viewer" || who === "support" ? who : "admin";
    const asking = await signIn({ role });
    if (who === "removed") await service.removeOperator(asking.id, command);
    const actor: Actor =
      who === "key" ? { ...asking.actor, type: "api_key", id: "key_1" } : asking.actor;
    const asks = [
      service.changeRole({ id: other.id, role: "admin" }, actor),
      service.reinviteOperator({ id: other.id }, actor),
      service.removeOperator(other.id, actor),
      service.inviteOperator({ name: "X", role: "viewer", accounts: [first] }, actor),
    ];
    for (const asked of await Promise.allSettled(asks))
      expect(asked).toMatchObject({ status: "rejected", reason: notAllowed });
  });
});
