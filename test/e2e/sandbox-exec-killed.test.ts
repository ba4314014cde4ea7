import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { keys, openTerminal, requireTerminals } from "../testkit/command/in-terminal.ts";
import { createEnvironment, launcher } from "../testkit/command/run-payments.ts";
import { watchPayments } from "../testkit/command/running-commands.ts";
import { needs, onLinux } from "../testkit/runner/needs.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

// What signals do to `payments sandbox exec`, and what it leaves where a part of it is killed: nothing.

const node = process.execPath;

/** A Node program that prints each signal that it gets, and goes on: only SIGKILL, or `ends`, ends it. */
const stubborn = (ends = "") => `
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGWINCH", "SIGCONT"]) {
    process.on(signal, () => { console.log("got", signal); if ("${ends}" === signal) process.exit(5); });
  }
  setInterval(() => {}, 1000);
  console.log("ready");`;

/** The temporary files of all sandboxes, so that Node compiles the command for the first of them alone. */
const temporary = createTemporaryHome();

/** Starts a command in a sandbox, in an environment by which all its processes are found. */
function start(words: string[], { flags = [] as string[], env = {} } = {}) {
  const mark = randomUUID();
  const file = join(temporary, "sandbox.env");
  const args = ["sandbox", "exec", "--write-env", file, ...flags, "--", ...words];
  const running = watchPayments(args, { env: { TMPDIR: temporary, TEST_MARK: mark, ...env } });
  return {
    ...running,
    file,
    /** Waits until its shell has started `sleep`: one that gets a signal before then would wait for it all the same. */
    sleeps: async () => {
      await running.shows(/^ready$/);
      await expect
        .poll(() => findProcesses(mark).some(({ words: [program] }) => program === "sleep"))
        .toBe(true);
    },
    find: (word: string) => findProcesses(mark).find(({ words: all }) => all.includes(word))?.id,
    /** Waits until nothing of it is left: no process, no file but the code that Node has compiled. */
    isGone: async () => {
      await expect.poll(() => findProcesses(mark)).toEqual([]);
      const left = readdirSync(temporary).filter(
        (name) => !name.startsWith("payments-compile-cache"),
      );
      expect(left).toEqual([]);
    },
  };
}

function findProcesses(mark: string): { id: number; words: string[] }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        if (!readFileSync(`/proc/${id}/environ`, "utf8").includes(`TEST_MARK=${mark}`)) return [];
        const words = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
        return [{ id: Number(id), words }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

const inNode = (code: string) => [node, "-e", code];

/** The variable by which the launcher takes its Node for an older one, so that it hands over to the project's. */
const asOldNode = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    delete process.env.NODE_OPTIONS;
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
  `)}`,
};

const launches: [string, Record<string, string>][] = [
  ["started by itself", {}],
  ["started by the launcher of an older Node", asOldNode],
];

describe.each(launches)("%s", (_, env) => {
  needs(onLinux, "/proc, which tells what is left");

  /** How often a command that is sent SIGINT twice at once gets it. */
  const pressTwice = async () => {
    const running = start(inNode(stubborn("SIGTERM")), { env });
    await running.shows(/^ready$/);
    running.kill("SIGINT");
    await running.shows(/^got SIGINT$/);
    running.kill("SIGINT");
    running.kill("SIGWINCH"); // comes after it
    await running.shows(/^got SIGWINCH$/);
    running.kill("SIGTERM");
    const { exitCode, stdout } = await running.ended;
    expect(exitCode).toBe(5);
    await running.isGone();
    return stdout.match(/SIGINT/g)?.length;
  };

  test("it passes each signal on, and the command decides", async () => {
    const running = start(inNode(stubborn("SIGHUP")), { env });
    await running.shows(/^ready$/);
    for (const signal of ["SIGWINCH", "SIGCONT", "SIGTERM", "SIGHUP"] as const) {
      running.kill(signal);
      await running.shows(new RegExp(`^got ${signal}$`));
    }
    const { exitCode, stdout } = await running.ended;
    expect(exitCode).toBe(5);
    expect(stdout.split("\n").toSorted().join(" ")).toBe(
      " got SIGCONT got SIGHUP got SIGTERM got SIGWINCH ready",
    );
    await running.isGone();
  });

  test("a SIGINT at once after another is the same press", async () => {
    // On a busy machine the second may come too late to be the same press: once in five times is enough.
    for (let run = 0; run < 4; run++) if ((await pressTwice()) === 1) return;
    expect(await pressTwice()).toBe(1);
  });

  test("kill -9 of what has started the command leaves nothing", async () => {
    const script = `trap 'echo told' TERM; trap 'echo heard' CONT
      echo ready; sleep 600 & until wait; do :; done`;
    const running = start(["sh", "-c", script], { env });
    await running.sleeps();
    // Only once it passes signals on does the sandbox know what has been started.
    const asking = setInterval(() => running.kill("SIGCONT"), 50);
    await running.shows(/^heard$/).finally(() => clearInterval(asking));
    process.kill(running.pid ?? 0, "SIGKILL");
    expect(await running.shows(/^told$/)).toBe("told");
    await running.isGone();
  });
});

describe("the exit code", () => {
  needs(onLinux, "/proc, which tells what is left");

  test("a command that ends by Ctrl-C is 130, and nothing is left", async () => {
    const running = start(["sh", "-c", "echo ready; sleep 600; echo not reached"]);
    await running.sleeps();
    expect(await running.end("SIGINT")).toMatchObject({ stdout: "ready\n", exitCode: 130 });
    await running.isGone();
  });

  test("kill -9 of the command is 137, and nothing is left", async () => {
    const running = start(["sh", "-c", "sleep 600 & echo ready; exec sleep 601"]);
    await running.sleeps();
    await expect.poll(() => running.find("601")).toBeDefined();
    process.kill(running.find("601") ?? 0, "SIGKILL");
    expect(await running.ended).toMatchObject({ exitCode: 137 });
    await running.isGone();
  });

  test("kill -9 of the sandbox ends the command, and is 9", async () => {
    const running = start(["sh", "-c", "trap 'echo told' TERM; echo ready; sleep 600"]);
    await running.sleeps();
    process.kill(running.find("__sandbox") ?? 0, "SIGKILL");
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: "ready\ntold\n" });
    expect(stderr).toContain("Error: The sandbox has ended before the command.\n");
    await running.isGone();
  });
});

describe("what is left of the command's group", () => {
  needs(onLinux, "/proc, which tells what is left");

  test("gets SIGTERM and SIGKILL when the command has ended, and then this ends", async () => {
    const background = `${node} -e '${stubborn().replaceAll("'", `'"'"'`)}' &`;
    const line = `${background} sleep 600 & read go < "$PAYMENTS_HOME/go"; exit 4`;
    const running = start(["sh", "-c", `mkfifo "$PAYMENTS_HOME/go"; ${line}`]);
    await running.sleeps();
    const go = /PAYMENTS_HOME='?([^'\n]+)/.exec(readFileSync(running.file, "utf8"))?.[1] ?? "";
    writeFileSync(join(go, "go"), "go\n");
    const { exitCode, stdout } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: "ready\ngot SIGTERM\n" });
    await running.isGone();
  });

  test("is killed 10 s after a second signal", async () => {
    const running = start(inNode(stubborn()));
    await running.shows(/^ready$/);
    running.kill("SIGTERM");
    await running.shows(/^got SIGTERM$/);
    running.kill("SIGTERM");
    await running.shows(/^got SIGTERM$/);
    expect(await running.ended).toMatchObject({ exitCode: 137 });
    await running.isGone();
  });
});

test("a signal before there is a command ends the sandbox, and runs nothing", async () => {
  const running = start(["echo", "ran"]);
  await expect.poll(() => running.find("__sandbox")).toBeDefined();
  const { exitCode, stdout } = await running.end("SIGTERM");
  // It may have come too late.
  expect([
    [143, ""],
    [0, "ran\n"],
  ]).toContainEqual([exitCode, stdout]);
  await running.isGone();
});

describe("in a terminal", () => {
  requireTerminals();

  // npm run starts a line as npx does.
  test.each(["payments sandbox exec -- node test.cjs", "npx payments sandbox exec -- npm test"])(
    "`%s` ends cleanly by Ctrl-C",
    async (line) => {
      const terminal = openProject(
        line,
        `process.once("SIGINT", () => setTimeout(() => { console.log("cleaned", "up"); process.exit(3); }, 100));
      process.on("SIGINT", () => {}); // npm passes it on to what the terminal has told already
      setInterval(() => {}, 1000);
      console.log("ready");`,
      );
      await terminal.appears("ready");
      terminal.type(keys.controlC);
      await terminal.appears("cleaned up");
      expect(await terminal.exitCode).not.toBe(0);
      await terminal.isGone();
    },
  );

  test("the command reads what is typed", async () => {
    const terminal = openProject(`payments sandbox exec -- sh -c 'read line; echo "<$line>"'`);
    await terminal.appears("Sandbox at");
    terminal.type("hello\r");
    await terminal.appears("<hello>");
    expect(await terminal.exitCode).toBe(0);
  });

  test.each(launches)(
    "the command of a sandbox %s hears of a new size of the window",
    async (_, env) => {
      const terminal = openProject(
        "payments sandbox exec -- node test.cjs",
        `process.stdout.on("resize", () => { console.log("columns " + process.stdout.columns); process.exit(); });
      require("node:child_process").spawnSync("stty", ["cols", "91"], { stdio: "inherit" });
      setInterval(() => {}, 1000);`,
        env,
      );
      await terminal.appears("columns 91");
      expect(await terminal.exitCode).toBe(0);
    },
  );

  test.each(launches)(
    "a window that is closed ends the command of a sandbox %s",
    async (_, env) => {
      const terminal = openProject("payments sandbox exec -- sleep 600", "", env);
      await terminal.appears("Sandbox at");
      terminal.close();
      expect(await terminal.exitCode).toBeNull();
      await terminal.isGone();
    },
  );
});

/** Opens a terminal in a project that has the package, and runs a line there. */
function openProject(line: string, program = "", variables = {}) {
  const mark = randomUUID();
  const folder = createTemporaryHome();
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const command = `#!/bin/sh\nexec '${node}' '${launcher}' "$@"\n`;
  writeFileSync(join(bin, "payments"), command, { mode: 0o755 });
  const scripts = { test: "node test.cjs" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  writeFileSync(join(folder, "test.cjs"), program);
  const own = { TEST_MARK: mark, ...variables, npm_config_update_notifier: "false" };
  const env = createEnvironment({ env: own });
  const PATH = [bin, dirname(node), env["PATH"]].join(":");
  const terminal = openTerminal(line, { cwd: folder, env: { ...env, PATH } });
  return { ...terminal, isGone: async () => expect.poll(() => findProcesses(mark)).toEqual([]) };
}
