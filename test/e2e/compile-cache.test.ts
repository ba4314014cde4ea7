import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnPayments, createTemporaryFolder } from "../testkit/command/installed-command.ts";

const name = `payments-compile-cache-${process.getuid?.()}`;

async function readCacheLog(home: string, ...argv: string[]): Promise<string> {
  const variables = { TMPDIR: home, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const child = spawnPayments(home, argv, variables);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout?.once("data", () => child.kill("SIGTERM")); // a service is listening; a command is ending
  await once(child, "close");
  return stderr;
}

test("a service and a command share Node's compiled code", async () => {
  const home = createTemporaryFolder();
  const service = ["serve", "--port", "0"];
  await readCacheLog(home, ...service);
  await readCacheLog(home, "list", "--json");
  const [again, anew] = [
    await readCacheLog(home, ...service),
    await readCacheLog(home, "list", "--json"),
  ];
  for (const stderr of [again, anew]) {
    expect(stderr).toContain("was accepted");
    expect(stderr.split("\n").filter((line) => line.includes("was rejected"))).toEqual([]);
  }
});

test("Node reads compiled code only from the user's own folder", async () => {
  const home = createTemporaryFolder();
  mkdirSync(join(home, "node-compile-cache")); // Node's own default, which any user may create
  await readCacheLog(home, "test-cards");
  expect(statSync(join(home, name)).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, name))).toHaveLength(1);
  expect(readdirSync(join(home, "node-compile-cache"))).toEqual([]);
});

/** Folders that another user may have put there. */
const traps: Record<string, (folder: string) => void> = {
  "is open to others": (folder) => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  },
  "leads elsewhere": (folder) => {
    mkdirSync(`${folder}-elsewhere`, { mode: 0o700 });
    symlinkSync(`${folder}-elsewhere`, folder);
  },
};

test.each(Object.entries(traps))("a folder that %s is not used", async (_, setTrap) => {
  const home = createTemporaryFolder();
  setTrap(join(home, name));
  expect(await readCacheLog(home, "test-cards")).not.toContain("[compile cache]");
  expect(readdirSync(join(home, name))).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a folder of another user is not used", async () => {
  const home = createTemporaryFolder();
  mkdirSync(join(home, name), { mode: 0o700 });
  chownSync(join(home, name), 65534, 65534);
  expect(await readCacheLog(home, "test-cards")).not.toContain("[compile cache]");
  expect(readdirSync(join(home, name))).toEqual([]);
});
