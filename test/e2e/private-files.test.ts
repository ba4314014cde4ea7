import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { launcher, runInShell, startShell } from "../testkit/command/run-payments.ts";

const payments = `'${process.execPath}' '${launcher}'`;

/** The modes of all that is in a folder, but for those that nobody else can use. */
function listOpen(folder: string): [name: string, mode: string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const { mode } = lstatSync(join(folder, name));
    return (mode & 0o077) === 0 ? [] : [[name, (mode & 0o777).toString(8)]];
  });
}

test("with umask 000 every file and folder that the program makes is its user's alone", async () => {
  const home = createTemporaryHome();
  const [temporary, database] = [
    join(home, "tmp"),
    `sqlite:${join(home, "served", "new", "pay.db")}`,
  ];
  mkdirSync(temporary, { mode: 0o700 });
  const env = { TMPDIR: temporary };
  const run = async (line: string) => {
    const ran = await runInShell(`umask 000; ${line}`, { home, env });
    expect([line, ran.exitCode, ran.stderr]).toEqual([line, 0, ""]);
    expect(listOpen(home)).toEqual([]);
  };
  /** Looks while the command runs, when SQLite's files are beside the others, and when it has ended. */
  const runUntil = async (line: string, isReady: string) => {
    const child = startShell(`umask 000; exec ${line}`, { home, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (output.includes(isReady)) break;
    }
    expect(listOpen(home)).toEqual([]);
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    expect(listOpen(home)).toEqual([]);
  };

  await run(`${payments} create --amount 100 --currency eur --test-card visa --json`);
  await run(`${payments} mode test --json`);
  await runUntil(`${payments} listen --since 1h --json`, "payment.succeeded");
  await runUntil(`${payments} serve --port 0 --json --database ${database}`, "listening");
  await run(`${payments} keys create --mode test --name ci --json --database ${database}`);
  await run(`${payments} backup --json --database ${database} '${join(home, "copy.db")}'`);
  await runUntil(`${payments} sandbox --port 0 --json --database ${database}-test`, "listening");
  expect(readdirSync(home).some((name) => name.endsWith(".lock"))).toBe(true);
});
