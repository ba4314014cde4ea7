import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { spawnPayments, createTemporaryFolder } from "../testkit/command/installed-command.ts";

const name = `payments-compile-cache-${process.getuid?.()}`;
const version = `${process.version}-${process.arch}`;

async function run(home: string, ...argv: string[]): Promise<string> {
  const child = spawnPayments(home, argv, { TMPDIR: home });
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  if (argv[0] === "serve") child.stdout?.once("data", () => child.kill("SIGTERM")); // it is listening
  await once(child, "close");
  return output;
}

/** The entries of the cache; a new one has another inode. */
function listEntries(home: string): Map<string, number> {
  const folder = join(home, name, version);
  return new Map(readdirSync(folder).map((file) => [file, statSync(join(folder, file)).ino]));
}

test("a service and a command share compiled code, and neither compiles what the other has stored", async () => {
  const home = createTemporaryFolder();
  const service = ["serve", "--port", "0"];
  await run(home, ...service);
  const ofService = listEntries(home);
  expect(ofService.has("main.cjs")).toBe(true);
  await run(home, "list", "--json");
  const all = listEntries(home);
  expect(all.size).toBeGreaterThan(ofService.size);
  expect([...all].filter(([file]) => ofService.has(file))).toEqual([...ofService]);
  await run(home, ...service);
  await run(home, "list", "--json");
  expect(listEntries(home)).toEqual(all);
});

test.each<[string, (entry: Buffer) => void]>([
  ["of another text", (entry) => entry.write("x")],
  ["that the disk has damaged", (entry) => entry.fill(0, entry.length - 1000, entry.length - 500)],
  ["that was cut off", (entry) => entry.fill(0, 100)],
])("code %s is not run, and is replaced", async (_, damage) => {
  const home = createTemporaryFolder();
  const printed = await run(home, "test-cards");
  const file = join(home, name, version, "main.cjs");
  const stored = readFileSync(file);
  const damaged = Buffer.from(stored);
  damage(damaged);
  writeFileSync(file, damaged);
  expect(await run(home, "test-cards")).toBe(printed);
  expect(readFileSync(file).equals(damaged)).toBe(false);
});

test("code that cannot be stored leaves no file behind", async () => {
  const home = createTemporaryFolder();
  const folder = join(home, name, version);
  mkdirSync(join(folder, "main.cjs"), { recursive: true, mode: 0o700 });
  expect(await run(home, "test-cards")).toContain("visa");
  expect(readdirSync(folder).filter((file) => !file.endsWith(".cjs"))).toEqual([]);
});

test("compiled code is stored for its user alone", async () => {
  const home = createTemporaryFolder();
  await run(home, "test-cards");
  expect(statSync(join(home, name)).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, name))).toEqual([version]);
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
  "others may replace": (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(dirname(folder), 0o777);
  },
};

test.each(Object.entries(traps))("a folder that %s is not used", async (_, setTrap) => {
  const home = createTemporaryFolder();
  setTrap(join(home, name));
  expect(await run(home, "test-cards")).toContain("visa");
  expect(readdirSync(join(home, name))).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a folder of another user is not used", async () => {
  const home = createTemporaryFolder();
  mkdirSync(join(home, name), { mode: 0o700 });
  chownSync(join(home, name), 65534, 65534);
  expect(await run(home, "test-cards")).toContain("visa");
  expect(readdirSync(join(home, name))).toEqual([]);
});
