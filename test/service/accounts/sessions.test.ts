import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { openNewStore, startMs, startSeconds } from "../../testkit/service/open-test-service.ts";
import { command, openWithOperators } from "../../testkit/service/open-with-operators.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("accepting an invitation", () => {
  test("signs in, once, and is told", async () => {
    const { service, done, first } = await openWithOperators();
    const request = { name: "Ada", role: "admin", accounts: [first] } as const;
    const { operator, token } = await service.inviteOperator(request, command);
    const accepted = await service.acceptInvitation(token);
    expect(accepted).toEqual({
      secret: expect.stringMatching(/^[A-Za-z0-9]{43}$/) as unknown,
      session: {
        operator: { ...operator, status: "active", last_seen_at: startSeconds },
        accounts: [expect.objectContaining({ id: first, name: "Default" }) as unknown],
        expiresAtMs: startMs + 12 * hourMs,
      },
    });
    expect(await service.findSession(accepted?.secret ?? "")).toEqual(accepted?.session);
    expect(await service.acceptInvitation(token)).toBeUndefined();
    expect(await service.findInvitation(token)).toBeUndefined();
    const { id, name } = operator;
    expect((await done())[0]).toMatchObject({
      actor: { type: "operator", id, name },
      action: "operator.signed_in",
      subject: { id, name },
    });
  });

  test("at once, also on two replicas, signs in one", async () => {
    const { service, replica, first, done } = await openWithOperators();
    const request = { name: "Ada", role: "admin", accounts: [first] } as const;
    const { token } = await service.inviteOperator(request, command);
    const services = [service, await replica(), service, await replica()];
    const accepted = await Promise.all(services.map(async (each) => each.acceptInvitation(token)));
    expect(accepted.filter((each) => each !== undefined)).toHaveLength(1);
    expect((await done()).map(({ action }) => action)).toEqual([
      "operator.signed_in",
      "operator.invited",
    ]);
  });

  test("keeps neither the link's token nor the session's secret", async () => {
    const written: unknown[] = [];
    const store = await openNewStore();
    const watched: Store = {
      ...store,
      insertOperator: async (write) => {
        written.push(write);
        return await store.insertOperator(write);
      },
      acceptInvitation: async (write) => {
        written.push(write);
        return await store.acceptInvitation(write);
      },
    };
    const { service, first } = await openWithOperators({ store: watched });
    const request = { name: "Ada", role: "admin", accounts: [first] } as const;
    const { token } = await service.inviteOperator(request, command);
    const secret = (await service.acceptInvitation(token))?.secret ?? "none";
    expect(written).toHaveLength(2);
    for (const hidden of [token, secret]) expect(JSON.stringify(written)).not.toContain(hidden);
  });
});

describe("a session", () => {
  test("ends after 12 h without use", async () => {
    const { service, signIn, time } = await openWithOperators();
    const { secret } = await signIn();
    time.nowMs += 12 * hourMs - 1;
    expect(await service.findSession(secret)).toMatchObject({
      expiresAtMs: time.nowMs + 12 * hourMs,
      operator: { name: "Ada" },
    });
    await service.recordSessionUses();
    time.nowMs += 12 * hourMs - 1;
    expect(await service.findSession(secret)).toBeDefined();
    await service.recordSessionUses();
    time.nowMs += 12 * hourMs;
    expect(await service.findSession(secret)).toBeUndefined();
  });

  test("ends after 7 days, however it is used", async () => {
    const { service, signIn, time } = await openWithOperators();
    const { secret } = await signIn();
    for (let hours = 0; hours < 7 * 24 - 1; hours++) {
      time.nowMs += hourMs;
      expect(await service.findSession(secret)).toBeDefined();
      await service.recordSessionUses();
    }
    time.nowMs += hourMs;
    expect(await service.findSession(secret)).toBeUndefined();
  });

  test("is noted as used once a minute at the most, and its operator as seen", async () => {
    const store = await openNewStore();
    let notes = 0;
    const recordSessionUse: Store["recordSessionUse"] = async (session) => {
      notes++;
      await store.recordSessionUse(session);
    };
    const opened = await openWithOperators({ store: { ...store, recordSessionUse } });
    const { service, signIn, time } = opened;
    const { secret } = await signIn();
    for (const [afterMs, count] of [
      [minuteMs - 1, 0],
      [1, 1],
      [minuteMs - 1, 1],
      [1, 2],
    ] as const) {
      time.nowMs += afterMs;
      for (let times = 0; times < 3; times++) await service.findSession(secret);
      await service.recordSessionUses();
      expect(notes).toBe(count);
    }
    expect(await service.listOperators()).toMatchObject([{ last_seen_at: startSeconds + 120 }]);
  });

  test("is found where nothing can be written, and noted when that is over", async () => {
    const store = await openNewStore();
    let isWritable = false;
    const recordSessionUse: Store["recordSessionUse"] = async (session) => {
      if (!isWritable) throw new Unavailable("The disk is full.");
      await store.recordSessionUse(session);
    };
    const opened = await openWithOperators({ store: { ...store, recordSessionUse } });
    const { service, signIn, time } = opened;
    const { secret } = await signIn();
    time.nowMs += minuteMs;
    expect(await service.findSession(secret)).toBeDefined();
    await expect(service.recordSessionUses()).rejects.toThrow("full");
    isWritable = true;
    expect(await service.findSession(secret)).toBeDefined();
    await service.recordSessionUses();
    expect(await service.listOperators()).toMatchObject([{ last_seen_at: startSeconds + 60 }]);
  });

  test("ends on every replica at once where its operator is removed, or signs out", async () => {
    const { service, signIn, replica } = await openWithOperators();
    const other = await replica();
    const [ada, bob] = [await signIn(), await signIn({ name: "Bob" })];
    for (const each of [ada, bob]) expect(await other.findSession(each.secret)).toBeDefined();
    await service.removeOperator(ada.id, command);
    expect(await other.findSession(ada.secret)).toBeUndefined();
    await service.signOut(bob.secret);
    expect(await other.findSession(bob.secret)).toBeUndefined();
  });

  test("shows the role and the accounts that its operator has by now", async () => {
    const { service, signIn, first, second } = await openWithOperators();
    await signIn({ name: "Root", accounts: [first, second] });
    const { id, secret } = await signIn({ accounts: [first, second] });
    await service.changeRole({ id, role: "viewer" }, command);
    await service.removeOperator(id, command, first);
    expect(await service.findSession(secret)).toMatchObject({
      operator: { role: "viewer", accounts: [second] },
      accounts: [{ id: second }],
    });
  });

  test("ends with all others of its operator, who signs out everywhere", async () => {
    const { service, signIn, done } = await openWithOperators();
    const ada = await signIn();
    const bob = await signIn({ name: "Bob" });
    const { token } = await service.reinviteOperator({ id: ada.id }, command);
    const second = (await service.acceptInvitation(token))?.secret ?? "";
    await service.signOutEverywhere(ada.id);
    for (const secret of [ada.secret, second])
      expect(await service.findSession(secret)).toBeUndefined();
    expect(await service.findSession(bob.secret)).toBeDefined();
    expect((await done())[0]).toMatchObject({
      actor: ada.actor,
      action: "operator.signed_out_everywhere",
      subject: { id: ada.id },
    });
  });
});
