import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { startIndexProcess } from "../../../src/service/server/index-job.ts";
import { takeEmptyDatabase } from "../../testkit/database/open-database.ts";

/** The environments of the index processes of a database, as Linux shows them. */
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

test.runIf(process.platform === "linux")(
  "the process that indexes payments gets no keys and secrets of the service",
  async () => {
    vi.stubEnv("PAYMENTS_NETWORK_SECRET", "not for it");
    onTestFinished(() => void vi.unstubAllEnvs());
    const end = startIndexProcess(await takeEmptyDatabase(), undefined);
    onTestFinished(end);
    await expect.poll(readEnvironments).toHaveLength(1);
    const [variables = ""] = readEnvironments();
    expect(variables).toContain("PATH=");
    expect(variables).not.toMatch(/PAYMENTS_|not for it/);
  },
);
