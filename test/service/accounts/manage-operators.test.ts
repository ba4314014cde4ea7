import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/contract/administration.ts";
import {
  command,
  openStoreWith,
  openWithOperators,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const lifetimeMs = 15 * 60_000;
const missing = { name: "PermanentError", code: "operator_missing" };
const accountMissing = { name: "PermanentError", code: "account_missing" };
const notAllowed = { name: "PermanentError", code: "not_allowed" };

describe("inviting an operator", () => {
  test("makes a link of 256 random bits, which works for 15 minutes", async () => {
    const { service, invite, time, first, second } = await openWithOperators();
    const invitation = await invite({ role: "support", accounts: [second, first] });
    const { operator, token, expiresAtMs } = invitation;
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
    expect(expiresAtMs).toBe(startMs + lifetimeMs);
    time.nowMs = expiresAtMs - 1;
    const accounts = [{ id: first }, { id: second, name: "Books" }];
    expect(await service.findInvitation(token)).toMatchObject({ operator, accounts });
    expect(await service.findInvitation(`${token.slice(0, -1)}!`)).toBeUndefined();
    time.nowMs = expiresAtMs;
    expect(await service.findInvitation(token)).toBeUndefined();
    expect(await service.acceptInvitation(token)).toBeUndefined();
  });

  test("is in the audit log of each account", async () => {
    const { invite, listAuditLog, first, second } = await openWithOperators();
    const { operator } = await invite({ role: "support", accounts: [first, second] });
    for (const account of [first, second]) {
      expect(await listAuditLog(account)).toEqual([
        {
          id: expect.stringMatching(/^act_/) as unknown,
          object: "activity",
          account,
          livemode: null,
          actor: command,
          action: "operator.invited",
          subject: { id: operator.id, name: "Ada" },
          detail: "support",
          created: startSeconds,
        },
      ]);
    }
  });

  test("to an unknown account, or to no account, is refused", async () => {
    const { service, invite, first } = await openWithOperators();
    for (const accounts of [[first, "acct_none"], []])
      await expect(invite({ accounts })).rejects.toMatchObject(accountMissing);
    expect(await service.listOperators()).toEqual([]);
  });
});

describe("an operator", () => {
  test("gets a fresh link, and the old link stops working; a changed role is in the audit log", async () => {
    const { service, invite, listAuditLog } = await openWithOperators();
    const { operator, token } = await invite({ role: "viewer" });
    const { id } = operator;
    const reinvited = await service.reinviteOperator({ id }, command);
    expect(reinvited).toMatchObject({ operator, expiresAtMs: startMs + lifetimeMs });
    expect(await service.findInvitation(token)).toBeUndefined();
    const raised = await service.reinviteOperator({ id, role: "support" }, command);
    expect(raised.operator).toEqual({ ...operator, role: "support" });
    expect(await service.findInvitation(reinvited.token)).toBeUndefined();
    expect(await service.findInvitation(raised.token)).toMatchObject({ operator: raised.operator });
    expect((await listAuditLog()).map(({ action, detail }) => [action, detail])).toEqual([
      ["operator.invited", "support"],
      ["operator.role_changed", "support"],
      ["operator.invited", "viewer"],
      ["operator.invited", "viewer"],
    ]);
  });

  test("gets another account with a fresh link", async () => {
    const { service, signIn, listAuditLog, first, second } = await openWithOperators();
    const { id } = await signIn({ role: "viewer", accounts: [second] });
    const { operator, token } = await service.reinviteOperator({ id, accounts: [first] }, command);
    expect(operator).toMatchObject({ id, role: "viewer", accounts: [first, second] });
    expect(await service.listOperators(first)).toEqual([operator]);
    expect((await service.findInvitation(token))?.operator).toEqual(operator);
    const entry = { action: "operator.invited", subject: { id } };
    expect(await listAuditLog(first)).toMatchObject([entry]);
    const elsewhere = service.reinviteOperator({ id, accounts: ["acct_none"] }, command);
    await expect(elsewhere).rejects.toMatchObject(accountMissing);
    expect(await service.findInvitation(token)).toBeDefined();
  });

  test("who gets another account loses all sessions, because an admin may have opened one with a link", async () => {
    const { service, signIn, first, second } = await openWithOperators();
    const { actor } = await signIn({ name: "Eve" });
    const { id } = await signIn({ role: "viewer" });
    const { token } = await service.reinviteOperator({ id }, actor);
    const evesSecret = (await service.acceptInvitation(token))?.secret ?? "";
    expect((await service.findSession(evesSecret))?.accounts).toMatchObject([{ id: first }]);
    const extended = await service.reinviteOperator({ id, accounts: [second] }, command);
    expect(await service.findSession(evesSecret)).toBeUndefined();
    expect(await service.acceptInvitation(extended.token)).toBeDefined();
  });

  test("gets another role, which is in the audit log once", async () => {
    const { service, signIn, listAuditLog } = await openWithOperators();
    const { id } = await signIn({ role: "viewer" });
    const changed = await service.changeRole({ id, role: "support" }, command);
    expect(changed).toMatchObject({ id, role: "support", status: "active" });
    await service.changeRole({ id, role: "support" }, command);
    expect(await service.listOperators()).toMatchObject([{ id, role: "support" }]);
    const entries = await listAuditLog();
    expect(entries.filter(({ action }) => action === "operator.role_changed")).toMatchObject([
      { subject: { id, name: "Ada" }, detail: "support" },
    ]);
  });

  test("can be removed from one account; without an account the operator is removed", async () => {
    const { service, signIn, listAuditLog, first, second } = await openWithOperators();
    const { id } = await signIn({ role: "support", accounts: [first, second] });
    const removed = { action: "operator.removed", subject: { id } };
    const left = { status: "active", accounts: [first] };
    expect(await service.removeOperator(id, command, second)).toMatchObject(left);
    expect(await service.listOperators(second)).toEqual([]);
    expect((await listAuditLog(second))[0]).toMatchObject(removed);
    expect((await listAuditLog(first))[0]).toMatchObject({ action: "operator.signed_in" });
    await expect(service.removeOperator(id, command, second)).rejects.toMatchObject(missing);
    const gone = { status: "removed", accounts: [] };
    expect(await service.removeOperator(id, command)).toMatchObject(gone);
    expect((await listAuditLog(first))[0]).toMatchObject(removed);
    expect(await service.listOperators()).toEqual([]);
    for (const change of [
      service.removeOperator(id, command),
      service.reinviteOperator({ id }, command),
      service.changeRole({ id, role: "admin" }, command),
    ])
      await expect(change).rejects.toMatchObject(missing);
  });

  test("is also removed from an account that is added during the removal", async () => {
    const meanwhile = [
      async () => t.service.reinviteOperator({ id, accounts: [t.second] }, command),
    ];
    const store = await openStoreWith((real) => ({
      removeOperator: async (write) => {
        await meanwhile.pop()?.();
        return await real.removeOperator(write);
      },
    }));
    const t = await openWithOperators({ store });
    const { id, secret } = await t.signIn({ role: "viewer" });
    expect(await t.service.removeOperator(id, command)).toMatchObject({ status: "removed" });
    expect(await t.service.findSession(secret)).toBeUndefined();
    for (const account of [t.first, t.second]) {
      const actions = await t.listActions(account);
      expect(actions.filter((action) => action === "operator.removed")).toHaveLength(1);
    }
  });
});

test.each(["removed", "removed from it", "lowered", "lowered by a link"])(
  "the last admin of an account is not %s",
  async (what) => {
    const { service, signIn, first, second } = await openWithOperators();
    const { id } = await signIn({ accounts: [first, second] });
    await signIn({ accounts: [first] });
    await signIn({ accounts: [second], role: "support" });
    const role = "viewer" as const;
    const change = {
      removed: async () => service.removeOperator(id, command),
      "removed from it": async () => service.removeOperator(id, command, second),
      lowered: async () => service.changeRole({ id, role }, command),
      "lowered by a link": async () => service.reinviteOperator({ id, role }, command),
    }[what];
    const refusal = { name: "PermanentError", code: "last_admin" };
    await expect(change?.()).rejects.toMatchObject(refusal);
    const [found] = await service.listOperators();
    expect(found).toMatchObject({ id, role: "admin", accounts: [first, second] });
  },
);

describe("permissions", () => {
  test("an admin can only change operators whose accounts are all the admin's own", async () => {
    const { service, signIn, first, second } = await openWithOperators();
    const { actor } = await signIn({ name: "Ada" });
    await signIn({ name: "Root", accounts: [first, second] });
    const own = await signIn({ name: "Bob", role: "viewer" });
    const both = await signIn({ name: "Eve", role: "viewer", accounts: [first, second] });
    const change = { role: "support" } as const;
    for (const refused of await Promise.allSettled([
      service.changeRole({ id: both.id, ...change }, actor),
      service.reinviteOperator({ id: both.id }, actor),
      service.reinviteOperator({ id: own.id, accounts: [second] }, actor),
      service.removeOperator(both.id, actor),
      service.removeOperator(both.id, actor, second),
      service.inviteOperator({ name: "X", role: "viewer", accounts: [first, second] }, actor),
    ]))
      expect(refused).toMatchObject({ status: "rejected", reason: notAllowed });
    expect(await service.changeRole({ id: own.id, ...change }, actor)).toMatchObject(change);
    await service.reinviteOperator({ id: own.id }, actor);
    await service.inviteOperator({ name: "X", role: "viewer", accounts: [first] }, actor);
    const removed = await service.removeOperator(both.id, actor, first);
    expect(removed).toMatchObject({ accounts: [second], status: "active" });
  });

  test("an admin who is removed during the request changes no operator", async () => {
    let requester: { id: string; actor: Actor } | undefined;
    const removeRequester = async () => t.service.removeOperator(requester?.id ?? "", command);
    const store = await openStoreWith((real) => ({
      insertOperator: async (write) => {
        if (write.requestedBy) await removeRequester();
        return await real.insertOperator(write);
      },
      changeRole: async (write) => {
        await removeRequester();
        return await real.changeRole(write);
      },
    }));
    const t = await openWithOperators({ store });
    const { id } = await t.signIn();
    requester = await t.signIn();
    const invited = { name: "X", role: "admin", accounts: [t.first] } as const;
    const inviting = t.service.inviteOperator(invited, requester.actor);
    await expect(inviting).rejects.toMatchObject(notAllowed);
    requester = await t.signIn();
    const changing = t.service.changeRole({ id, role: "viewer" }, requester.actor);
    await expect(changing).rejects.toMatchObject(notAllowed);
    expect(await t.service.listOperators()).toMatchObject([{ id, role: "admin" }]);
  });

  test.each(["viewer", "support", "removed", "key"])("a %s changes no operator", async (who) => {
    const { service, signIn, first } = await openWithOperators();
    await signIn();
    const other = await signIn({ role: "viewer" });
    const requester = await signIn({ role: who === "viewer" || who === "support" ? who : "admin" });
    if (who === "removed") await service.removeOperator(requester.id, command);
    const actor: Actor =
      who === "key" ? { ...requester.actor, type: "api_key", id: "key_1" } : requester.actor;
    for (const refused of await Promise.allSettled([
      service.changeRole({ id: other.id, role: "admin" }, actor),
      service.reinviteOperator({ id: other.id }, actor),
      service.removeOperator(other.id, actor),
      service.inviteOperator({ name: "X", role: "viewer", accounts: [first] }, actor),
    ]))
      expect(refused).toMatchObject({ status: "rejected", reason: notAllowed });
  });
});
