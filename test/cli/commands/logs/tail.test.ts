import { expect, test } from "vitest";
import type { LoggedRequest } from "../../../../src/contract/logged-request.ts";
import { ConnectionError } from "../../../../src/client/errors.ts";
import { followRequests } from "../../../../src/cli/commands/logs/tail.ts";
import { requestWith } from "../../../testkit/api-objects.ts";

type Query = { "created[gte]"?: number; starting_after?: string; limit?: number };

/** A log that a test writes to, in any order of time; each poll may fail. */
function createLog() {
  const logged: LoggedRequest[] = [];
  const failures: Error[] = [];
  const list = async ({
    "created[gte]": since = 0,
    starting_after: after,
    limit = 0,
  }: Query = {}) => {
    const failure = failures.shift();
    if (failure) throw failure;
    const found = logged
      .filter(({ id, created }) => created >= since && (after === undefined || id < after))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const data = found.slice(0, limit);
    return { object: "list" as const, url: "", data, has_more: found.length > limit };
  };
  return {
    requests: { list } as never,
    failures,
    clear: () => logged.splice(0),
    write: (seconds: number, count = 1) => {
      for (let i = 0; i < count; i++) {
        const id = `req_${String(seconds).padStart(6, "0")}-${String(logged.length).padStart(6, "0")}`;
        logged.push(requestWith({ id, created: seconds }));
      }
    },
  };
}

async function follow(log: ReturnType<typeof createLog>) {
  const ending = new AbortController();
  const shown: number[] = [];
  const notes: string[] = [];
  const started = Promise.withResolvers<void>();
  const following = followRequests(
    { requests: log.requests },
    {
      status: undefined,
      show: async ({ created }) => void shown.push(created),
      onStarted: started.resolve,
      onSkipped: () => notes.push("skipped"),
      connection: { lost: () => notes.push("lost"), back: () => notes.push("back") },
    },
    ending.signal,
  ).catch(() => {});
  await started.promise;
  return {
    shown,
    notes,
    end: async () => {
      ending.abort();
      await following;
    },
  };
}

test("what is logged late, behind newer requests, is shown once, and nothing from before", async () => {
  const log = createLog();
  log.write(900);
  log.write(1000, 3);
  const { shown, end } = await follow(log);
  log.write(1002);
  await expect.poll(() => shown).toEqual([1002]);
  log.write(960); // began 42 s before the newest, and ended now
  await expect.poll(() => shown).toEqual([1002, 960]);
  log.write(1003, 250);
  await expect.poll(() => shown.length).toBe(252);
  await end();
});

test("of more requests than fit into memory the newest are shown, and a note says so", async () => {
  const log = createLog();
  log.write(1000);
  const { shown, notes, end } = await follow(log);
  log.write(1001, 5);
  log.write(1002, 20_000);
  await expect.poll(() => shown.length).toBeGreaterThan(0);
  await end();
  expect(notes).toEqual(["skipped"]);
  expect(new Set(shown)).toEqual(new Set([1002]));
  expect(shown).toHaveLength(20_000);
});

test("a lost service is noted once, and nothing is missed or repeated", async () => {
  const log = createLog();
  const { shown, notes, end } = await follow(log);
  log.write(1);
  await expect.poll(() => shown).toEqual([1]);
  log.failures.push(...[1, 2].map(() => new ConnectionError("lost", undefined)));
  log.write(2, 2);
  await expect.poll(() => shown).toEqual([1, 2, 2]);
  expect(notes).toEqual(["lost", "back"]);
  await end();
});

test("a sandbox that was reset, and whose time went back, is followed on", async () => {
  const log = createLog();
  log.write(5000);
  const { shown, end } = await follow(log);
  log.clear();
  log.write(10);
  await expect.poll(() => shown).toEqual([10]);
  await end();
});
