import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { Activity, Operator } from "../../../../src/contract/administration.ts";
import type { Store } from "../../../../src/service/service.ts";
import type { StoredSession } from "../../../../src/service/accounts/operators-sql.ts";
import { newAccount } from "../../../testkit/database/records.ts";
import { activityOf } from "./activity.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";

const nowMs = 1_000_000;

export function operatorOf(id: string, fields: Partial<Operator> = {}): Operator {
  return {
    id,
    object: "operator",
    name: "Ada",
    role: "admin",
    accounts: ["acct_1"],
    status: "invited",
    created: 1000,
    last_seen_at: null,
    ...fields,
  };
}

export function sessionOf(operatorId: string, hash = `session of ${operatorId}`): StoredSession {
  return { hash, operatorId, begunAtMs: nowMs, usedAtMs: nowMs, expiresAtMs: nowMs + 100 };
}

/** Writes an operator, and an invitation whose hash is `invitation of <id>`. */
export async function invite(store: Store, operator: Operator, activity: Activity[] = []) {
  const hash = `invitation of ${operator.id}`;
  const invitation = { hash, operatorId: operator.id, expiresAtMs: nowMs + 10 };
  await store.insertOperator({ operator, invitation, activity });
  return hash;
}

export async function signIn(store: Store, operator: Operator): Promise<StoredSession> {
  const invitationHash = await invite(store, operator);
  const session = sessionOf(operator.id);
  await store.acceptInvitation({ invitationHash, session, activity: [] });
  return session;
}

async function activityIds(store: Store, accountId = "acct_1"): Promise<string[]> {
  const range = { below: "act_g", above: "", direction: "forward", limit: 10 } as const;
  return (await store.listActivity(accountId, range)).items.map(({ id }) => id);
}

export function operatorsContract(stores: OpenStores): void {
  async function open(): Promise<Store> {
    const store = await (await stores()).open();
    const accounts = { acct_1: 500, acct_2: 600, acct_0: 700 };
    for (const [id, created] of Object.entries(accounts))
      await store.insertAccount(newAccount({ id, created }));
    return store;
  }

  describe("an operator", () => {
    test("is found as it was written, its accounts oldest first", async () => {
      const store = await open();
      const ada = operatorOf("op_1", { name: "'; -- 😀", accounts: ["acct_1", "acct_0"] });
      await invite(store, ada);
      expect(await store.findOperator("op_1")).toEqual(ada);
      expect(await store.findOperator("op_2")).toBeUndefined();
    });

    test("is listed with its account's, and with all, without those who were removed", async () => {
      const store = await open();
      const ada = operatorOf("op_1", { accounts: ["acct_1", "acct_2"] });
      const bob = operatorOf("op_2", { accounts: ["acct_2"], role: "viewer" });
      const eve = operatorOf("op_3", { accounts: ["acct_2"], role: "support" });
      for (const each of [bob, eve, ada]) await invite(store, each);
      await store.removeOperator({ id: "op_3", accounts: ["acct_2"], activity: [] });
      expect(await store.listOperators("acct_1")).toEqual([ada]);
      expect(await store.listOperators("acct_2")).toEqual([ada, bob]);
      expect(await store.listOperators(undefined)).toEqual([ada, bob]);
      expect(await store.findOperator("op_3")).toMatchObject({ status: "removed", accounts: [] });
    });

    test("gets another role, where it has not been removed", async () => {
      const store = await open();
      await invite(store, operatorOf("op_1", { role: "viewer" }));
      const change = { role: "support", activity: [activityOf("act_1")] } as const;
      expect(await store.changeRole({ id: "op_1", ...change })).toBe("written");
      expect(await store.changeRole({ id: "op_2", ...change })).toBe("missing");
      expect(await store.findOperator("op_1")).toMatchObject({ role: "support" });
      expect(await activityIds(store)).toEqual(["act_1"]);
    });

    test("that is removed from one account keeps the others, and the session", async () => {
      const store = await open();
      const session = await signIn(store, operatorOf("op_1", { accounts: ["acct_1", "acct_2"] }));
      await signIn(store, operatorOf("op_2"));
      const activity = [activityOf("act_1")];
      const removal = { id: "op_1", accounts: ["acct_1"], activity };
      expect(await store.removeOperator(removal)).toBe("written");
      expect(await store.findSession(session.hash, nowMs)).toMatchObject({
        operator: { status: "active", accounts: ["acct_2"] },
        accounts: [{ id: "acct_2" }],
      });
      expect(await store.removeOperator(removal)).toBe("missing");
      expect(await activityIds(store)).toEqual(["act_1"]);
    });

    test("that is removed has no session and no link any more", async () => {
      const store = await open();
      const session = await signIn(store, operatorOf("op_1"));
      const invitation = { hash: "fresh", operatorId: "op_1", expiresAtMs: nowMs + 10 };
      await store.reinviteOperator({ invitation, role: undefined, activity: [] });
      await signIn(store, operatorOf("op_2"));
      await store.removeOperator({ id: "op_1", accounts: ["acct_1"], activity: [] });
      expect(await store.findSession(session.hash, nowMs)).toBeUndefined();
      expect(await store.findInvitation("fresh", nowMs)).toBeUndefined();
      const retry = { invitation, role: undefined, activity: [] };
      expect(await store.reinviteOperator(retry)).toBe("missing");
      expect(await store.purgeSessions(nowMs + 1000, 10)).toBe(1); // Bob's session
    });
  });

  describe("the last admin of an account", () => {
    const ada = operatorOf("op_1", { accounts: ["acct_1", "acct_2"] });
    const removals = [
      [
        "is not removed",
        (s: Store) =>
          s.removeOperator({
            id: "op_1",
            accounts: ["acct_1", "acct_2"],
            activity: [activityOf("act_1")],
          }),
      ],
      [
        "is not removed from it alone",
        (s: Store) =>
          s.removeOperator({ id: "op_1", accounts: ["acct_2"], activity: [activityOf("act_1")] }),
      ],
      [
        "is not made a viewer",
        (s: Store) => s.changeRole({ id: "op_1", role: "viewer", activity: [activityOf("act_1")] }),
      ],
      [
        "is not made a viewer by a link",
        (s: Store) =>
          s.reinviteOperator({
            invitation: { hash: "fresh", operatorId: "op_1", expiresAtMs: nowMs + 10 },
            role: "viewer",
            activity: [activityOf("act_1")],
          }),
      ],
    ] as const;

    test.each(removals)("%s, where others are admins elsewhere or none", async (_, remove) => {
      const store = await open();
      for (const each of [
        ada,
        operatorOf("op_2"),
        operatorOf("op_3", { accounts: ["acct_2"], role: "support" }),
      ])
        await invite(store, each);
      expect(await remove(store)).toBe("last_admin");
      expect(await store.findOperator("op_1")).toEqual(ada);
      expect(await store.findInvitation("fresh", nowMs)).toBeUndefined();
      expect(await activityIds(store)).toEqual([]);
    });

    test.each(removals)("%s; another admin may be there instead", async (_, remove) => {
      const store = await open();
      for (const each of [ada, operatorOf("op_2"), operatorOf("op_3", { accounts: ["acct_2"] })])
        await invite(store, each);
      expect(await remove(store)).toBe("written");
      expect(await store.findOperator("op_1")).not.toEqual(ada);
    });

    test("stays where the other one has not signed in, who may be removed", async () => {
      const store = await open();
      await signIn(store, operatorOf("op_1"));
      await invite(store, operatorOf("op_2"));
      const remove = async (id: string) =>
        store.removeOperator({ id, accounts: ["acct_1"], activity: [] });
      expect(await remove("op_1")).toBe("last_admin");
      expect(await remove("op_2")).toBe("written");
      await signIn(store, operatorOf("op_3"));
      expect(await remove("op_1")).toBe("written");
    });

    contended("stays where two requests each remove one of two", async () => {
      const store = await open();
      for (let round = 0; round < 10; round++) {
        const ids = [`op_${round}_1`, `op_${round}_2`];
        const accounts = [`acct_r${round}`];
        await store.insertAccount(newAccount({ id: `acct_r${round}` }));
        for (const id of ids) await invite(store, operatorOf(id, { accounts }));
        const outcomes = await Promise.all([
          store.removeOperator({ id: ids[0] ?? "", accounts, activity: [] }),
          store.changeRole({ id: ids[1] ?? "", role: "viewer", activity: [] }),
        ]);
        expect(outcomes.toSorted()).toEqual(["last_admin", "written"]);
      }
    });

    contended(
      "stays where another admin gets the account, and both are lowered meanwhile",
      async () => {
        const store = await open();
        await invite(store, operatorOf("op_1"));
        for (let round = 0; round < 40; round++) {
          const ids = { gets: `op_${round}_1`, has: `op_${round}_2`, account: `acct_r${round}` };
          await store.insertAccount(newAccount({ id: ids.account }));
          await invite(store, operatorOf(ids.gets));
          await invite(store, operatorOf(ids.has, { accounts: [ids.account] }));
          const invitation = { hash: ids.gets, operatorId: ids.gets, expiresAtMs: nowMs + 10 };
          const grantedAccounts = [ids.account];
          await Promise.all([
            store.reinviteOperator({ invitation, role: undefined, grantedAccounts, activity: [] }),
            store.changeRole({ id: ids.gets, role: "viewer", activity: [] }),
            store.changeRole({ id: ids.has, role: "viewer", activity: [] }),
          ]);
          const roles = (await store.listOperators(ids.account)).map(({ role }) => role);
          expect(roles).toContain("admin");
        }
      },
    );
  });

  describe("an invitation", () => {
    test("returns its operator until it expires, and is not consumed by that", async () => {
      const store = await open();
      const ada = operatorOf("op_1", { accounts: ["acct_1", "acct_0"] });
      const hash = await invite(store, ada);
      const found = { operator: ada, accounts: [{ id: "acct_1" }, { id: "acct_0" }] };
      expect(await store.findInvitation(hash, nowMs)).toMatchObject(found);
      expect(await store.findInvitation(hash, nowMs + 9)).toMatchObject(found);
      expect(await store.findInvitation(hash, nowMs + 10)).toBeUndefined();
      expect(await store.findInvitation("another", nowMs)).toBeUndefined();
    });

    contended("begins one session, also where several requests accept it at once", async () => {
      const store = await open();
      const invitationHash = await invite(store, operatorOf("op_1"));
      const accept = async (name: string) =>
        store.acceptInvitation({
          invitationHash,
          session: sessionOf("op_1", name),
          activity: [activityOf(`act_${name}`)],
        });
      const names = ["a", "b", "c", "d", "e"];
      const accepted = await Promise.all(names.map(accept));
      expect(accepted.filter(Boolean)).toHaveLength(1);
      const winner = names[accepted.indexOf(true)];
      expect(await activityIds(store)).toEqual([`act_${winner}`]);
      for (const name of names) {
        const session = await store.findSession(name, nowMs);
        expect(session?.operator).toEqual(
          name === winner
            ? operatorOf("op_1", { status: "active", last_seen_at: 1000 })
            : undefined,
        );
      }
    });

    contended("accepted while its operator is removed begins no session", async () => {
      const store = await open();
      await signIn(store, operatorOf("op_admin"));
      for (let round = 0; round < 10; round++) {
        const operator = operatorOf(`op_${round}`);
        const invitationHash = await invite(store, operator);
        const session = sessionOf(operator.id);
        await Promise.all([
          store.acceptInvitation({ invitationHash, session, activity: [] }),
          store.removeOperator({ id: operator.id, accounts: ["acct_1"], activity: [] }),
        ]);
        expect(await store.findSession(session.hash, nowMs)).toBeUndefined();
        expect(await store.findOperator(operator.id)).toMatchObject({ status: "removed" });
      }
    });

    test("that has expired begins none", async () => {
      const store = await open();
      const invitationHash = await invite(store, operatorOf("op_1"));
      const late = { ...sessionOf("op_1"), begunAtMs: nowMs + 10 };
      const accepted = store.acceptInvitation({ invitationHash, session: late, activity: [] });
      expect(await accepted).toBe(false);
      expect(await store.findSession(late.hash, nowMs)).toBeUndefined();
    });

    test("ends where a fresh one is made, which may change the role", async () => {
      const store = await open();
      const old = await invite(store, operatorOf("op_1", { role: "viewer" }));
      const others = await invite(store, operatorOf("op_2"));
      const invitation = { hash: "fresh", operatorId: "op_1", expiresAtMs: nowMs + 10 };
      const write = { invitation, role: "support", activity: [activityOf("act_1")] } as const;
      expect(await store.reinviteOperator(write)).toBe("written");
      expect(await store.findInvitation(old, nowMs)).toBeUndefined();
      expect(await store.findInvitation(others, nowMs)).toBeDefined();
      const found = await store.findInvitation("fresh", nowMs);
      expect(found?.operator).toEqual(operatorOf("op_1", { role: "support" }));
      expect(await activityIds(store)).toEqual(["act_1"]);
    });

    test("grants further accounts, once each", async () => {
      const store = await open();
      await invite(store, operatorOf("op_1"));
      const invitation = { hash: "fresh", operatorId: "op_1", expiresAtMs: nowMs + 10 };
      const write = {
        invitation,
        role: undefined,
        grantedAccounts: ["acct_1", "acct_2"],
        activity: [],
      };
      expect(await store.reinviteOperator(write)).toBe("written");
      const found = await store.findInvitation("fresh", nowMs);
      expect(found?.accounts).toMatchObject([{ id: "acct_1" }, { id: "acct_2" }]);
    });
  });

  describe("a session", () => {
    test("is found with its operator until it expires", async () => {
      const store = await open();
      const session = await signIn(store, operatorOf("op_1"));
      const found = await store.findSession(session.hash, nowMs + 99);
      expect(found).toMatchObject({ session, operator: { id: "op_1", status: "active" } });
      expect(await store.findSession(session.hash, nowMs + 100)).toBeUndefined();
    });

    test("expires when its last use says, and its operator was active then", async () => {
      const store = await open();
      const session = await signIn(store, operatorOf("op_1"));
      const later = { ...session, usedAtMs: nowMs + 2000, expiresAtMs: nowMs + 3000 };
      await store.recordSessionUse(later);
      await store.recordSessionUse({ ...later, usedAtMs: nowMs + 1000, expiresAtMs: nowMs + 1 }); // came late
      const found = await store.findSession(session.hash, nowMs + 2999);
      expect(found).toMatchObject({ session: later, operator: { last_seen_at: 1002 } });
    });

    test("ends by itself, or with all of its operator's", async () => {
      const store = await open();
      const first = await signIn(store, operatorOf("op_1"));
      const invitation = { hash: "fresh", operatorId: "op_1", expiresAtMs: nowMs + 10 };
      await store.reinviteOperator({ invitation, role: undefined, activity: [] });
      const second = sessionOf("op_1", "second");
      await store.acceptInvitation({ invitationHash: "fresh", session: second, activity: [] });
      const others = await signIn(store, operatorOf("op_2"));
      await store.endSession(first.hash);
      expect(await store.findSession(first.hash, nowMs)).toBeUndefined();
      expect(await store.findSession(second.hash, nowMs)).toBeDefined();
      await store.endSessions({ operatorId: "op_1", activity: [activityOf("act_1")] });
      expect(await store.findSession(second.hash, nowMs)).toBeUndefined();
      expect(await store.findSession(others.hash, nowMs)).toBeDefined();
      expect(await activityIds(store)).toEqual(["act_1"]);
    });

    test("that has expired is purged, as invitations are, up to a limit", async () => {
      const store = await open();
      for (const id of ["op_1", "op_2", "op_3"]) await signIn(store, operatorOf(id));
      for (const id of ["op_4", "op_5", "op_6"]) await invite(store, operatorOf(id));
      expect(await store.purgeSessions(nowMs + 9, 2)).toBe(0);
      expect(await store.purgeSessions(nowMs + 10, 2)).toBe(2);
      expect(await store.purgeSessions(nowMs + 100, 2)).toBe(3);
      expect(await store.purgeSessions(nowMs + 100, 2)).toBe(1);
      expect(await store.purgeSessions(nowMs + 100, 2)).toBe(0);
    });
  });
}
