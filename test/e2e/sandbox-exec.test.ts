import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import type { SandboxRequest } from "../../src/contract/sandbox.ts";
import {
  launcher,
  runInNewProcess,
  runInShell,
  runPayments,
  type Ran,
  type RunOptions,
} from "../testkit/command/run-payments.ts";
import { watchPayments } from "../testkit/command/running-commands.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { needs } from "../testkit/runner/needs.ts";
import { openRecordingReceiver } from "../testkit/service/webhooks.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

// `payments sandbox exec`, from an empty home; what signals and kills do is in sandbox-exec-killed.test.ts.

needs(process.platform !== "win32", "groups of processes");

const node = process.execPath;

/** What a Node program in a sandbox begins with: `payments` runs the command, `create` asks for a payment itself. */
const prelude = `
  const { execFileSync, spawnSync } = require("node:child_process");
  const { env } = process;
  const payments = (...args) =>
    execFileSync(${JSON.stringify(node)}, [${JSON.stringify(launcher)}, ...args], { encoding: "utf8" });
  const post = async (body, headers = {}) =>
    fetch(env.PAYMENTS_BASE_URL + "/v1/payments", {
      method: "POST",
      headers: { authorization: "Bearer " + env.PAYMENTS_API_KEY, "content-type": "application/json",
        "idempotency-key": String(Math.random()), ...headers },
      body: JSON.stringify(body),
    });
  const create = async (number = "4242424242424242") => {
    const card = { number, exp_month: 1, exp_year: 2040, cvc: number.startsWith("3") ? "1234" : "123" };
    const { status } = await post({ amount: 4999, currency: "eur", card });
    if (status !== 201) throw new Error("status " + status);
  };`;

/** Runs a Node program in a sandbox. */
async function execNode(code: string, flags: string[] = [], options: RunOptions = {}) {
  return await exec([...flags, "--", node, "-e", `${prelude}\n${code}`], options);
}

async function exec(args: string[], options: RunOptions = {}): Promise<Ran> {
  return await runInNewProcess(["sandbox", "exec", ...args], options);
}

/** Runs a line that ends before it starts anything, in this process. */
async function execNothing(args: string[], options: RunOptions = {}): Promise<Ran> {
  return await runPayments(["sandbox", "exec", ...args], options);
}

const sandboxLine = /^Sandbox at (http:\/\/127\.0\.0\.1:\d+)\n$/;

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.end() !== undefined));
    socket.once("error", () => resolve(false));
  });
}

function readLines(file: string): SandboxRequest[] {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as SandboxRequest);
}

describe("the command's environment", () => {
  const printEnvironment = `
    const { statSync } = require("node:fs");
    const mode = (statSync(env.PAYMENTS_HOME).mode & 0o777).toString(8);
    console.log(JSON.stringify({ env, mode }));`;
  type Printed = { env: Record<string, string>; mode: string };

  test("leads to the sandbox, and nowhere else", async () => {
    const elsewhere = {
      PAYMENTS_DATABASE: "sqlite:/nowhere/payments.db",
      PAYMENTS_CONTEXT: "live",
      PAYMENTS_API_KEY: "svc_live_sk_elsewhere",
      PAYMENTS_BASE_URL: "https://payments.example.com",
      PAYMENTS_MODE: "live",
      PAYMENTS_ACCOUNT: "acct_elsewhere",
      PAYMENTS_NETWORK_SECRET: "secret",
      PAYMENTS_STRIPE_SECRET_KEY: "secret",
    };
    const own = { PAYMENTS_TIMEOUT_OF_MY_SHOP: "5", FORCE_COLOR: "3", TERM: "dumb" };
    const ran = await execNode(printEnvironment, [], { env: { ...elsewhere, ...own } });
    expect(ran.exitCode).toBe(0);
    const { env, mode } = JSON.parse(ran.stdout) as Printed;
    const [, url] = sandboxLine.exec(ran.stderr) ?? [];
    const home = env["PAYMENTS_HOME"] ?? "";
    const ours = Object.entries(env).filter(([name]) => name.startsWith("PAYMENTS_"));
    expect(Object.fromEntries(ours)).toEqual({
      PAYMENTS_BASE_URL: url,
      PAYMENTS_API_KEY: "svc_test_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
      PAYMENTS_MODE: "test",
      PAYMENTS_SANDBOX_LIVE_KEY: "svc_live_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
      PAYMENTS_SANDBOX_ACCOUNT: expect.stringMatching(/^acct_/) as string,
      PAYMENTS_HOME: home,
      PAYMENTS_TIMEOUT_OF_MY_SHOP: "5",
    });
    expect(env).toMatchObject(own);
    expect(env).not.toHaveProperty("NO_COLOR");
    expect(mode).toBe("700");
    expect(existsSync(home)).toBe(false);
    expect(await isListening(Number(new URL(url ?? "").port))).toBe(false);
  });

  test("lets payments act without a login, at the port that is named, on what fixtures have made", async () => {
    const home = createTemporaryHome();
    const [login, fixtures] = [join(home, "login.json"), join(home, "orders.json")];
    writeFileSync(login, "{}");
    const step = { create: { amount: 700, currency: "eur", test_card: "visa" } };
    writeFileSync(fixtures, JSON.stringify({ fixtures: [step] }));
    const port = await freePort();
    const code = `
      console.log(payments("list", "--fields", "amount", "-o", "csv"));
      payments("login", "--sandbox");
      console.log(JSON.parse(payments("whoami", "--json")).base_url, env.PAYMENTS_BASE_URL);`;
    const ran = await execNode(code, ["--port", String(port), "--fixtures", fixtures], { home });
    const url = `http://127.0.0.1:${port}`;
    expect(ran).toMatchObject({ stdout: `amount\n700\n\n${url} ${url}\n`, exitCode: 0 });
    expect(readFileSync(login, "utf8")).toBe("{}"); // the caller's own is left alone
  });
});

describe("the end", () => {
  test.each([
    ["exit 7", 7],
    ["kill -KILL $$", 137],
  ])("of `%s` is exit code %i, and no further word", async (line, exitCode) => {
    const ran = await exec(["--", "sh", "-c", line]);
    expect(ran).toEqual({ stdout: "", stderr: expect.stringMatching(sandboxLine), exitCode });
  });

  test("of a command that is not there is 127, of one that cannot be run 126", async () => {
    expect(await exec(["--quiet", "--", "no-such-command"])).toEqual({
      stdout: "",
      stderr: "Error: no-such-command is not found.\n",
      exitCode: 127,
    });
    const home = createTemporaryHome();
    writeFileSync(join(home, "tests.sh"), "#!/bin/sh\n", { mode: 0o600 });
    expect(await exec(["--quiet", "--", join(home, "tests.sh")])).toEqual({
      stdout: "",
      stderr: "Error: tests.sh cannot be run: EACCES.\n",
      exitCode: 126,
    });
  });

  test("of a sandbox that does not start is its own", async () => {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    openUntilFileEnds(() => server.close());
    const busy = await exec(["--port", String(port), "--", "echo", "ran"]);
    expect(busy).toMatchObject({ stdout: "", exitCode: 9 });
    expect(busy.stderr).toMatch(/^Error: Port \d+ of 127\.0\.0\.1 is in use\./);
    const missing = await execNothing(["--fixtures", "/nowhere.json", "--", "echo", "ran"]);
    expect(missing).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test.each([
    [["npm", "test"], "Error: -- must stand before the command.\n"],
    [["npm", "--", "test"], "Error: -- must stand before the command.\n"],
    [["--quiet"], "Error: Missing <command>: the command and its arguments, after --.\n"],
  ])("of a command line like %j is 2, and nothing is run", async (args, message) => {
    const ran = await execNothing(args);
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain(message);
  });
});

describe("the streams", () => {
  test("are the command's own, and every word is passed on as it is, also what looks like a flag", async () => {
    const words = ["--quiet", "-x", "a b", "", "--", "a b", "--json", "--no-color", "--help"];
    const script = `cat; printf '<%s>\\n' "$@"; echo problem >&2`;
    const ran = await exec(["--quiet", "--", "sh", "-c", script, "sh", ...words], {
      stdin: "line 1\nline 2\n",
    });
    expect(ran).toEqual({
      stdout: `line 1\nline 2\n${words.map((word) => `<${word}>\n`).join("")}`,
      stderr: "problem\n",
      exitCode: 0,
    });
  });
});

/** One request succeeds, some are refused, one is struck; then the sandbox forgets them, and one more is refused. */
const work = (refused: number) => `
  (async () => {
    await create();
    for (let n = 0; n < ${refused}; n++) await post({ amount: -1 });
    await post({ amount: -2 }, { "sandbox-fault": "disconnect" }).catch(() => {});
    payments("sandbox", "reset");
    await post({ amount: -3 });
    process.exitCode = Number(env.ENDS_WITH);
  })();`;

describe("the journal", () => {
  test("shows the last ten that went wrong where the command fails, and how to see all", async () => {
    const ran = await execNode(work(12), [], { env: { ENDS_WITH: "3" } });
    expect(ran).toMatchObject({ stdout: "", exitCode: 3 });
    const [, title, heading, ...rest] = ran.stderr.trimEnd().split("\n");
    expect(title).toBe("The last requests that were refused, failed or met a fault:");
    expect(heading).toMatch(/^TIME +METHOD +PATH +STATUS +FAULT/);
    expect(rest.pop()).toBe("All 15 requests: run it again with --keep-journal FILE.");
    const statuses = rest.map((line) => /POST +\/v1\/payments +(\w+)/.exec(line)?.[1]);
    expect(statuses).toEqual([...Array<string>(8).fill("400"), "disconnect", "400"]);
  });

  test("is kept whole in a file, with --quiet and exit code 0 too", async () => {
    const file = join(createTemporaryHome(), "requests.jsonl");
    writeFileSync(file, "of an earlier run\n", { mode: 0o644 });
    const flags = ["--quiet", "--keep-journal", file];
    const ran = await execNode(work(1), flags, { env: { ENDS_WITH: "0" } });
    expect(ran).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readLines(file).map(({ status, fault }) => [status, fault])).toEqual([
      [201, null],
      [400, null],
      [null, "disconnect"],
      [400, null],
    ]);
  });

  test("has requests of every account, and none of the fixtures'", async () => {
    const home = createTemporaryHome();
    const [fixtures, file] = [join(home, "orders.json"), join(home, "requests.jsonl")];
    const step = { create: { amount: 700, currency: "eur", test_card: "visa" } };
    writeFileSync(fixtures, JSON.stringify({ fixtures: [step] }));
    const code = `
      const { keys } = JSON.parse(payments("sandbox", "account", "--json"));
      env.PAYMENTS_API_KEY = keys.test;
      void create().then(create).then(() => process.exit(1));`;
    const ran = await execNode(code, ["--fixtures", fixtures, "--keep-journal", file]);
    const created = { method: "POST", path: "/v1/payments", status: 201 };
    expect(readLines(file)).toMatchObject([created, created]);
    expect(ran.stderr.split("\n").slice(1)).toEqual([`All 2 requests: ${file}`, ""]);
  });

  test("of a file that cannot be written is exit code 9, before anything is run", async () => {
    const ran = await execNothing([
      "--keep-journal",
      "/nowhere/requests.jsonl",
      "--",
      "echo",
      "ran",
    ]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
    expect(ran.stderr).toContain("The file of --keep-journal cannot be written");
  });

  test("ends after a whole line where the disk becomes full, and the command goes on", async () => {
    const file = join(createTemporaryHome(), "requests.jsonl");
    const code = `
      (async () => {
        const headers = { authorization: "Bearer " + process.env.PAYMENTS_API_KEY };
        for (let n = 0; n < 10; n++) await fetch(process.env.PAYMENTS_BASE_URL + "/v1/payments", { headers });
        process.exitCode = 4;
      })();`;
    const ran = await runInShell(
      `ulimit -f 1; payments sandbox exec --keep-journal '${file}' -- '${node}' -e '${code}'`,
    );
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toMatch(
      /^Sandbox at .*\nThe file of --keep-journal has not all requests: .*\n$/,
    );
    expect(readLines(file).length).toBeGreaterThan(1);
  });
});

test("a folder for temporary files that is not there is exit code 9, before anything is run", async () => {
  const ran = await execNothing(["--", "echo", "ran"], { env: { TMPDIR: "/nowhere" } });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(ran.stderr).toContain("The command's PAYMENTS_HOME cannot be made among temporary files");
  expect(ran.stderr).toContain("TMPDIR");
});

describe("--forward-to", () => {
  test("brings events in order to a receiver that the command starts, signed, and after a reset", async () => {
    const port = await freePort();
    const file = join(createTemporaryHome(), "requests.jsonl");
    const code = `
      const { createServer } = require("node:http");
      const { createHmac } = require("node:crypto");
      let arrived = 0;
      const secret = Buffer.from(env.PAYMENTS_WEBHOOK_SECRET.slice("whsec_".length), "base64");
      const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk)).on("end", () => {
          const { headers } = request;
          const signed = headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body;
          const signature = createHmac("sha256", secret).update(signed).digest("base64");
          const { type, data } = JSON.parse(body);
          console.log(type, data.object.card.brand, headers["webhook-signature"] === "v1," + signature);
          response.end();
          arrived++;
          if (arrived === 2) { payments("sandbox", "reset"); void create("378282246310005"); }
          if (arrived === 3) process.exit();
        });
      });
      void create().then(() => create("5555555555554444")).then(() => server.listen(${port}, "127.0.0.1"));`;
    const flags = ["--forward-to", `http://127.0.0.1:${port}/hooks`, "--keep-journal", file];
    const ran = await execNode(code, flags);
    expect(ran.stdout.split("\n")).toEqual([
      "payment.succeeded visa true",
      "payment.succeeded mastercard true",
      "payment.succeeded amex true",
      "",
    ]);
    // The forwarding itself is in no journal.
    expect(readLines(file).map(({ path }) => path)).toEqual(Array(3).fill("/v1/payments"));
  });

  test("keeps webhooks check from counting what it sends", async () => {
    const url = "http://127.0.0.1:1/hooks";
    const code = `payments("webhooks", "check", "${url}")`;
    const ran = await execNode(code, ["--forward-to", url]);
    expect(ran.stderr).toContain("payments sandbox exec --forward-to sends the same events");
    expect(ran.exitCode).toBe(1);
  });

  test("meets the faults of webhooks, as an endpoint does", async () => {
    const port = await freePort();
    const code = `
      const faults = ["duplicate", "lost-answer"];
      let ids = [];
      const strike = () => {
        ids = [];
        payments("sandbox", "fault", "webhooks", faults.shift());
        void create();
      };
      require("node:http").createServer((request, response) => {
        ids.push(request.headers["webhook-id"]);
        request.resume();
        response.end(() => {
          if (ids.length < 2) return;
          console.log(ids[0] === ids[1]);
          if (faults.length === 0) process.exit();
          strike();
        });
      }).listen(${port}, "127.0.0.1", strike);`;
    const ran = await execNode(code, ["--forward-to", `http://127.0.0.1:${port}/hooks`]);
    expect(ran).toMatchObject({ stdout: "true\ntrue\n", exitCode: 0 });
  });

  test("signs at the real time with --sign-at wall", async () => {
    const receiver = await openRecordingReceiver();
    const seeded = ["--clock", "manual", "--seed", "1", "--sign-at", "wall"];
    const before = Math.floor(Date.now() / 1000);
    const words = [node, "-e", `${prelude} void create(); setInterval(() => {}, 1000)`];
    const flags = [...seeded, "--forward-to", receiver.url("/hooks")];
    const running = watchPayments(["sandbox", "exec", ...flags, "--", ...words]);
    await expect.poll(() => receiver.arrivals.length).toBe(1);
    const [arrival] = receiver.arrivals;
    expect(Number(arrival?.headers["webhook-timestamp"])).toBeGreaterThanOrEqual(before);
    expect(arrival?.event.created).toBe(1_800_000_000);
    expect((await running.end("SIGTERM")).exitCode).toBe(143);
  });

  test("is refused where it is no address", async () => {
    const ran = await execNothing(["--forward-to", "localhost:3000", "--", "echo", "ran"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  });
});

describe("--write-env", () => {
  test("writes the same variables, which a shell and Node read alike, and deletes them", async () => {
    const folder = createTemporaryHome();
    const file = join(folder, "sandbox.env");
    const temporary = join(folder, 'a "folder" of $HOME #1');
    mkdirSync(temporary);
    const receiver = await openRecordingReceiver();
    const code = `
      const { readFileSync, statSync } = require("node:fs");
      const { parseEnv } = require("node:util");
      const text = readFileSync(env.FILE, "utf8");
      const read = parseEnv(text);
      const line = 'set -a; . "$FILE"; exec "$0" -p "JSON.stringify(process.env)"';
      const bare = { PATH: env.PATH, FILE: env.FILE };
      const sourced = JSON.parse(spawnSync("sh", ["-c", line, process.execPath], { env: bare, encoding: "utf8" }).stdout);
      const names = Object.keys(env).filter((name) => name.startsWith("PAYMENTS_"));
      console.log(JSON.stringify({
        names: names.toSorted(),
        same: names.every((name) => read[name] === env[name] && sourced[name] === env[name]),
        count: Object.keys(read).length,
        head: text.split("\\n")[0],
        mode: (statSync(env.FILE).mode & 0o777).toString(8),
      }));`;
    const flags = ["--write-env", file, "--forward-to", receiver.url("/hooks")];
    const ran = await execNode(code, flags, { env: { FILE: file, TMPDIR: temporary } });
    const printed = JSON.parse(ran.stdout) as { names: string[]; count: number };
    expect(printed).toMatchObject({
      same: true,
      head: expect.stringMatching(/^# payments sandbox, process \d+$/) as string,
      mode: "600",
    });
    expect(printed.names).toContain("PAYMENTS_WEBHOOK_SECRET");
    expect(printed.count).toBe(printed.names.length);
    expect(existsSync(file)).toBe(false);
  });

  test("refuses a file of somebody else's, and runs nothing", async () => {
    const file = join(createTemporaryHome(), ".env");
    writeFileSync(file, "SECRET=mine\n");
    const ran = await execNothing(["--write-env", file, "--", "echo", "ran"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(readFileSync(file, "utf8")).toBe("SECRET=mine\n");
  });

  test("leaves no part of a file where the disk is full", async () => {
    const file = join(createTemporaryHome(), "sandbox.env");
    const ran = await runInShell(
      `ulimit -f 0; payments sandbox exec --write-env '${file}' -- echo ran`,
    );
    expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
    expect(ran.stderr).toContain("The file of --write-env cannot be used");
    expect(existsSync(file)).toBe(false);
  });
});

test("a sandbox that stays writes its variables, too, without a home", async () => {
  const file = join(createTemporaryHome(), "sandbox.env");
  const sandbox = watchPayments(["sandbox", "--port", "0", "--write-env", file]);
  await sandbox.shows(/^Sandbox at/);
  const line = `set -a; . '${file}'; payments create --amount 100 --currency eur --test-card visa --fields status -o csv`;
  expect((await runInShell(line)).stdout).toBe("status\nsucceeded\n");
  expect(parseEnv(readFileSync(file, "utf8"))).not.toHaveProperty("PAYMENTS_HOME");
  await sandbox.end("SIGTERM");
  expect(existsSync(file)).toBe(false);
});
