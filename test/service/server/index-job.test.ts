import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createIndexJob,
  createIndexProcessJob,
  createIndexSchedule,
} from "../../../src/service/server/index-job.ts";
import { startJob } from "../../../src/service/server/scheduler.ts";
import { takeEmptyDatabase } from "../../testkit/database/open-database.ts";

/** The environments of the index processes of this one, as Linux shows them. */
function readEnvironments(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        const isChild = parent === String(process.pid);
        const isIndex = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("index-process");
        return isChild && isIndex ? [readFileSync(`/proc/${pid}/environ`, "utf8")] : [];
      } catch {
        return []; // it has ended
      }
    });
}

/** Runs the job of the process; \`isAny\` says whether there are payments to index. */
async function startIndexJob(isAny: () => boolean, quietMs?: number) {
  const schedule = createIndexSchedule(20);
  const job = createIndexProcessJob(await takeEmptyDatabase(), {
    schedule,
    isAny: async () => isAny(),
    log: undefined,
    ...(quietMs !== undefined && { quietMs }),
  });
  onTestFinished(startJob(job));
  return { wake: () => schedule.onCreated(Date.now()) };
}

const isOnLinux = process.platform === "linux";

test.runIf(isOnLinux)(
  "the process that indexes payments gets no keys and secrets of the service",
  async () => {
    vi.stubEnv("PAYMENTS_NETWORK_SECRET", "not for it");
    onTestFinished(() => void vi.unstubAllEnvs());
    await startIndexJob(() => true);
    await expect.poll(readEnvironments).toHaveLength(1);
    const [variables = ""] = readEnvironments();
    expect(variables).toContain("PATH=");
    expect(variables).not.toMatch(/PAYMENTS_|not for it/);
  },
);

test.runIf(isOnLinux)("the process runs only while there is something to index", async () => {
  let [looks, isAny] = [0, false];
  const { wake } = await startIndexJob(() => {
    looks += 1;
    return isAny;
  }, 100);
  await expect.poll(() => looks).toBeGreaterThan(1);
  expect(readEnvironments()).toEqual([]);
  isAny = true;
  wake();
  await expect.poll(readEnvironments, { timeout: 60_000 }).toHaveLength(1);
  const before = looks;
  isAny = false;
  await expect.poll(readEnvironments, { timeout: 60_000 }).toEqual([]);
  await expect.poll(() => looks).toBeGreaterThan(before);
});

test("many new payments end a pause", async () => {
  const job = createIndexJob(async () => Promise.reject(new Error("no database")));
  const { signal } = new AbortController();
  for (let failures = 0; failures < 5; failures++) await job.run(signal).catch(() => {});
  // After as many failures a pause takes half a minute.
  const pause = job.due(signal).then(
    () => "over",
    () => "ended",
  );
  const schedule = createIndexSchedule();
  schedule.onMany(job.endPause);
  for (let created = 1; created < 8_192; created++) schedule.onCreated(0);
  expect(await Promise.race([pause, nextTurn("goes on")])).toBe("goes on");
  schedule.onCreated(0);
  expect(await Promise.race([pause, delay(15_000, "goes on")])).toBe("ended");
});
