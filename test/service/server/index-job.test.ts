import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { createIndexProcessJob } from "../../../src/service/server/index-job.ts";
import { createDueSchedule, startJob } from "../../../src/service/server/scheduler.ts";
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
  const schedule = createDueSchedule(20);
  const job = createIndexProcessJob(await takeEmptyDatabase(), {
    due: schedule.wait,
    isAny: async () => isAny(),
    log: undefined,
    ...(quietMs !== undefined && { quietMs }),
  });
  onTestFinished(startJob(job));
  return { wake: () => schedule.wakeAt(Date.now()) };
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
