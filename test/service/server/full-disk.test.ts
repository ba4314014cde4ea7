import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bodyWith } from "../../testkit/api-objects.ts";
import { needs } from "../../testkit/runner/needs.ts";
import { listening } from "../../testkit/client/running-service.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

/** A small file system of memory, at an empty folder; false where this user may not mount one. */
function mountSmall(folder: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]).status === 0;
}

const unmount = (folder: string) => spawnSync("umount", ["--lazy", folder]);

const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), "payments-mount-"));
  const isMounted = mountSmall(folder);
  if (isMounted) unmount(folder);
  rmdirSync(folder);
  return isMounted;
})();

describe("a service whose disk is full", () => {
  needs(canMount, "the right to mount a small file system, as root has it");

  test("is not ready, and is again by itself once there is room", async () => {
    const database = temporaryFile();
    const folder = dirname(database);
    mountSmall(folder);
    onTestFinished(() => void unmount(folder));
    const server = await listening({ database: `sqlite:${database}` });
    const readiness = async () => {
      const answer = await fetch(`${server.url}/readyz`);
      return { http: answer.status, ...((await answer.json()) as object) };
    };
    const create = async () => {
      const answer = await fetch(`${server.url}/v1/payments`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
        body: JSON.stringify(bodyWith({ metadata: { text: "x".repeat(500) } })),
      });
      await answer.text();
      return answer.status;
    };
    expect(await create()).toBe(201);
    expect(await readiness()).toEqual({ http: 200, status: "ready" });

    const ballast = join(folder, "ballast");
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    await expect.poll(create).toBe(503);
    expect(await readiness()).toMatchObject({ http: 503, reason: "store_not_writable" });

    rmSync(ballast);
    await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ http: 200 });
    expect(await create()).toBe(201);
  });
});
