import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { lockFile } from "../../../src/cli/listen/open-listener.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const module = fileURLToPath(new URL("../../../src/cli/listen/open-listener.ts", import.meta.url));

/** Starts another process, and waits until it has locked a file. */
async function startHolder(file: string) {
  const program = `const { lockFile } = await import(${JSON.stringify(module)});
    globalThis.lock = lockFile(${JSON.stringify(file)});
    console.log(globalThis.lock ? "locked" : "busy"); setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  openUntilFileEnds(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  expect(String(line)).toBe("locked\n");
  return child;
}

describe.concurrent("a locked file", () => {
  test("cannot be locked again until it is released", async () => {
    const file = join(createTemporaryHome(), "folder", "some.lock");
    const first = lockFile(file);
    expect(first).toBeDefined();
    expect(lockFile(file)).toBeUndefined();
    first?.[Symbol.dispose]();
    expect(lockFile(file)).toBeDefined();
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });

  test("is its owner's alone, so that no other user can hold it, also one of an earlier version", () => {
    const file = join(createTemporaryHome(), "some.lock");
    for (const earlier of [undefined, 0o644, 0o666]) {
      if (earlier !== undefined) chmodSync(file, earlier);
      using lock = lockFile(file);
      expect(lock).toBeDefined();
      for (const name of readdirSync(dirname(file))) {
        expect([name, statSync(join(dirname(file), name)).mode & 0o777]).toEqual([name, 0o600]);
      }
    }
  });

  test("stays locked while the other process is suspended, and is free once that is killed", async () => {
    const file = join(createTemporaryHome(), "some.lock");
    const child = await startHolder(file);
    expect(lockFile(file)).toBeUndefined();
    child.kill("SIGSTOP");
    expect(lockFile(file)).toBeUndefined();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(lockFile(file)).toBeDefined();
  });

  test("is waited for up to waitMs", async () => {
    const file = join(createTemporaryHome(), "some.lock");
    const child = await startHolder(file);
    child.kill("SIGKILL");
    expect(lockFile(file, { waitMs: 60_000 })).toBeDefined();
  });

  test("that cannot be created is an error", () => {
    const file = join(createTemporaryHome(), "some.lock");
    mkdirSync(file);
    expect(() => lockFile(file)).toThrow(`The file ${file} cannot be used: it is a folder.`);
  });
});
