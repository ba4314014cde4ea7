import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openDriver } from "../../src/service/database/database.ts";
import { type Row, createStatement, query } from "../../src/service/database/driver.ts";
import { hasTerminals, noTerminals, openTerminal } from "../testkit/command/in-terminal.ts";
import { parsePrinted, waitForEnd } from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { databaseOfHome } from "../testkit/database/open-database.ts";

const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];

/** A folder with the executable that `npm run package` makes, and nothing else: the PATH of all tests. */
const folder = createTemporaryHome();
symlinkSync(
  fileURLToPath(new URL("../../build/payments", import.meta.url)),
  join(folder, "payments"),
);

/** On PostgreSQL each home needs a database of its own, by the home's name. */
function environment(name: string, withDatabase = true): Record<string, string> {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return { PATH: folder, PAYMENTS_HOME: home, ...(withDatabase && databaseOfHome(home)) };
}

const start = (argv: string[], env: Record<string, string>) =>
  spawn(join(folder, "payments"), argv, { env, cwd: folder });
const run = async (argv: string[], env: Record<string, string>, stdin = "") => {
  const child = start(argv, env);
  child.stdin.end(stdin);
  return await waitForEnd(child);
};

describe("the executable, on an empty PATH", () => {
  test("creates, gets, lists and refunds on a service of its own", async () => {
    const env = environment("embedded");
    await run(["migrate"], env);
    const { id } = parsePrinted(await run([...visa, "--json"], env));
    expect(parsePrinted(await run(["refund", String(id), "--yes", "--json"], env))).toMatchObject({
      id,
      status: "refunded",
    });
    expect((await run(["list"], env)).stdout).toContain(String(id));
    expect((await run(["get", String(id), "-o", "csv", "--fields", "status"], env)).stdout).toBe(
      "status\nrefunded\n",
    );
  });

  test("writes to a pipe, ends quietly with its reader, and makes a backup", async () => {
    const env = environment("piped", false);
    const { id } = parsePrinted(await run([...visa, "--json"], env));
    const line =
      "payments list --all -o ndjson | { read first; echo $first; }; echo ${PIPESTATUS[0]}";
    const { stdout } = await waitForEnd(spawn("/bin/bash", ["-c", line], { env, cwd: folder }));
    const [first = "", status] = stdout.split("\n");
    expect(JSON.parse(first)).toMatchObject({ object: "payment", id });
    expect(status).toBe("0");

    const backup = join(folder, "backup.db");
    expect(parsePrinted(await run(["backup", backup, "--json"], env))).toMatchObject({
      payments: 1,
    });
  });

  test("prompts in a terminal", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const env = environment("asked", false);
    const { id } = parsePrinted(await run([...visa, "--json"], env));
    const terminal = openTerminal(`PATH='${folder}'; exec payments refund ${String(id)}`, {
      cwd: folder,
      env: { ...env, PATH: String(process.env["PATH"]) },
    });
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type("y\r");
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain("refunded");
  });

  test("serves a command that has logged in, and ends at SIGTERM", async () => {
    const env = environment("served");
    const service = start(["serve", "--port", "0", "--json", "--log-level", "silent"], env);
    const [line] = (await once(createInterface({ input: service.stdout }), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const made = await run(["keys", "create", "--mode", "test", "--name", "e2e", "--json"], env);
    const { key } = parsePrinted(made);
    const remote = environment("logged in", false);
    expect((await run(["login", "--base-url", url], remote, String(key))).exitCode).toBe(0);
    const { id } = parsePrinted(await run([...visa, "--json"], remote));
    expect(parsePrinted(await run(["get", String(id), "--json"], env))).toMatchObject({ id });
    service.kill("SIGTERM");
    expect(await once(service, "exit")).toEqual([0, null]);
  });

  test("indexes the payments of a service in a process of its own", async () => {
    const env = environment("indexed");
    const service = start(["serve", "--port", "0", "--json"], env);
    const log: string[] = [];
    createInterface({ input: service.stderr }).on("line", (line) => log.push(line));
    const [line] = (await once(createInterface({ input: service.stdout }), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const made = await run(["keys", "create", "--mode", "test", "--name", "ci", "--json"], env);
    const { key } = parsePrinted(made) as { key: string };
    const client = { ...env, PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: key };
    expect(await run(visa, client)).toMatchObject({ exitCode: 0 });
    const database =
      env["PAYMENTS_DATABASE"] ?? `sqlite:${join(env["PAYMENTS_HOME"] ?? "", "payments.db")}`;
    const driver = await openDriver(database);
    const countSegments = async () =>
      driver.read(() =>
        query(
          createStatement("SELECT COUNT(*) AS count FROM search_segments", [], ([row]: Row[]) =>
            Number(row?.["count"]),
          ),
        ),
      );
    await expect.poll(countSegments).toBeGreaterThan(0);
    await driver.close();
    service.kill("SIGTERM");
    expect(await waitForEnd(service)).toMatchObject({ exitCode: 0 });
    expect(log.filter((each) => each.includes('"error"'))).toEqual([]);
  });

  test("runs a command in a sandbox of its own, and leaves nothing of it", async () => {
    const env = environment("around", false);
    const line = `payments ${visa.join(" ")} --json && exit 3`;
    const words = ["sandbox", "exec", "--quiet", "--", "/bin/sh", "-c", line];
    const made = await run(words, { ...env, TMPDIR: env["PAYMENTS_HOME"] ?? "" });
    expect(made.exitCode).toBe(3);
    expect(JSON.parse(made.stdout)).toMatchObject({ object: "payment", status: "succeeded" });
    expect(readdirSync(env["PAYMENTS_HOME"] ?? "")).toEqual([]);
  });

  test("completes, prints help, refuses a mistake, and names the page that documents an error, which exists", async () => {
    const env = environment("whole", false);
    expect((await run(["completion", "bash"], env)).stdout).toContain("complete");
    expect((await run(["help", "refund"], env)).stdout).toContain("payments refund");
    expect((await run(["lst"], env)).exitCode).toBe(2);
    const { stderr, exitCode } = await run(["get", "pay_missing", "--json"], env);
    expect(exitCode).toBe(5);
    const { error } = JSON.parse(stderr) as { error: { doc_url: string } };
    const [page = ""] = error.doc_url.split("#");
    expect(existsSync(fileURLToPath(page))).toBe(true);
  });
});
