import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import {
  command,
  openStoreWith,
  openWithOperators,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("accepting an invitation", () => {
  test("signs in once, and is in the audit log", async () => {
    const { service, invite, listAuditLog, first } = await openWithOperators();
    const { operator, token } = await invite();
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
    const subject = { id, name };
    const actor = { type: "operator", ...subject };
    const entry = { actor, action: "operator.signed_in", subject };
    expect((await listAuditLog())[0]).toMatchObject(entry);
  });

  test("several times at once, on two replicas, signs in once", async () => {
    const { service, openReplica, invite, listActions } = await openWithOperators();
    const { token } = await invite();
    const services = [service, await openReplica(), service, await openReplica()];
    const accepted = await Promise.all(services.map(async (each) => each.acceptInvitation(token)));
    expect(accepted.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await listActions()).toEqual(["operator.signed_in", "operator.invited"]);
  });

  test("stores neither the link's token nor the session's secret", async () => {
    const written: unknown[] = [];
    const store = await openStoreWith((real) => ({
      insertOperator: async (write) => {
        written.push(write);
        return await real.insertOperator(write);
      },
      acceptInvitation: async (write) => {
        written.push(write);
        return await real.acceptInvitation(write);
      },
    }));
    const { service, invite } = await openWithOperators({ store });
    const { token } = await invite();
    const secret = (await service.acceptInvitation(token))?.secret ?? "none";
    expect(written).toHaveLength(2);
    for (const each of [token, secret]) expect(JSON.stringify(written)).not.toContain(each);
  });
});

describe("a session", () => {
  test("ends after 12 h without use", async () => {
    const { service, signIn, time } = await openWithOperators();
    const { secret } = await signIn();
    time.nowMs += 12 * hourMs - 1;
    const session = { expiresAtMs: time.nowMs + 12 * hourMs, operator: { name: "Ada" } };
    expect(await service.findSession(secret)).toMatchObject(session);
    await service.recordSessionUses();
    time.nowMs += 12 * hourMs - 1;
    expect(await service.findSession(secret)).toBeDefined();
    await service.recordSessionUses();
    time.nowMs += 12 * hourMs;
    expect(await service.findSession(secret)).toBeUndefined();
  });

  test("ends after 7 days, even if it is used", async () => {
    const { service, signIn, time } = await openWithOperators();
    const { secret } = await signIn();
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      time.nowMs += 10 * hourMs;
      expect(await service.findSession(secret)).toBeDefined();
      await service.recordSessionUses();
    }
    time.nowMs = startMs + 7 * 24 * hourMs;
    expect(await service.findSession(secret)).toBeUndefined();
  });

  test("has its use recorded once a minute at most, and its operator's last visit", async () => {
    let writes = 0;
    const store = await openStoreWith((real) => ({
      recordSessionUse: async (session) => {
        writes++;
        await real.recordSessionUse(session);
      },
    }));
    const { service, signIn, time } = await openWithOperators({ store });
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
      expect(writes).toBe(count);
    }
    expect(await service.listOperators()).toMatchObject([{ last_seen_at: startSeconds + 120 }]);
  });

  test("is found while the store cannot write; its use is recorded later", async () => {
    let isWritable = false;
    const store = await openStoreWith((real) => ({
      recordSessionUse: async (session) => {
        if (!isWritable) throw new Unavailable("The disk is full.");
        await real.recordSessionUse(session);
      },
    }));
    const { service, signIn, time } = await openWithOperators({ store });
    const { secret } = await signIn();
    time.nowMs += minuteMs;
    expect(await service.findSession(secret)).toBeDefined();
    await expect(service.recordSessionUses()).rejects.toThrow("full");
    isWritable = true;
    expect(await service.findSession(secret)).toBeDefined();
    await service.recordSessionUses();
    expect(await service.listOperators()).toMatchObject([{ last_seen_at: startSeconds + 60 }]);
  });

  test("ends on every replica at once when its operator is removed, or signs out", async () => {
    const { service, signIn, openReplica } = await openWithOperators();
    const replica = await openReplica();
    const [ada, bob] = [await signIn(), await signIn({ name: "Bob" })];
    for (const each of [ada, bob]) expect(await replica.findSession(each.secret)).toBeDefined();
    await service.removeOperator(ada.id, command);
    expect(await replica.findSession(ada.secret)).toBeUndefined();
    await service.signOut(bob.secret);
    expect(await replica.findSession(bob.secret)).toBeUndefined();
  });

  test("has the current role and accounts of its operator", async () => {
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

  test("ends when its operator signs out everywhere", async () => {
    const { service, signIn, listAuditLog } = await openWithOperators();
    const ada = await signIn();
    const bob = await signIn({ name: "Bob" });
    const { token } = await service.reinviteOperator({ id: ada.id }, command);
    const second = (await service.acceptInvitation(token))?.secret ?? "";
    await service.signOutEverywhere(ada.id);
    for (const secret of [ada.secret, second])
      expect(await service.findSession(secret)).toBeUndefined();
    expect(await service.findSession(bob.secret)).toBeDefined();
    expect((await listAuditLog())[0]).toMatchObject({
      actor: ada.actor,
      action: "operator.signed_out_everywhere",
      subject: { id: ada.id },
    });
  });
});
