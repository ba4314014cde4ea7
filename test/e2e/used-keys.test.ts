import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { needs, onLinux } from "../testkit/runner/needs.ts";
import {
  accountWith,
  envelopeError,
  json,
  scriptedServer,
  silence,
  type ScriptedServer,
} from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";
import { runPayments, startPayments, type RunOptions } from "../testkit/command/run-payments.ts";
import { canaryKey, leakingFiles, leaksIn, wrongKeys } from "../testkit/deployment/canaries.ts";

type Source = "PAYMENTS_API_KEY" | "--api-key-file" | "standard input";
const sources: Source[] = ["PAYMENTS_API_KEY", "--api-key-file", "standard input"];
const list = json(200, { object: "list", url: "/v1/payments", data: [], has_more: false });

/** The options that give a command a key from a source. */
function keyFrom(source: Source, key: string, { url }: ScriptedServer) {
  const home = createTemporaryHome();
  const env: Record<string, string> = { PAYMENTS_BASE_URL: url };
  if (source === "PAYMENTS_API_KEY") env["PAYMENTS_API_KEY"] = key;
  const options: RunOptions = { home, env };
  if (source === "PAYMENTS_API_KEY") return { home, options, flags: [] };
  if (source === "standard input") {
    return { home, options: { ...options, stdin: key }, flags: ["--api-key-file", "-"] };
  }
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, key);
  return { home, options, flags: ["--api-key-file", file] };
}

/** Expects that a server got the key only in its header. */
function expectOnlyInHeader({ requests }: ScriptedServer): void {
  expect(requests).not.toEqual([]);
  for (const { headers, ...request } of requests) {
    const { authorization, ...others } = headers;
    expect(authorization).toBe(`Bearer ${canaryKey}`);
    expect(leaksIn(JSON.stringify([request, others]))).toEqual([]);
  }
}

describe.concurrent.each(sources)("a key from %s", (source) => {
  test("is neither printed nor stored, even with --debug", async () => {
    const server = await scriptedServer(list);
    const { home, options, flags } = keyFrom(source, canaryKey, server);
    const ran = await runPayments(["list", "--debug", ...flags], options);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain("authorization: Bearer svc_live_sk_…");
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expectOnlyInHeader(server);
  });

  describe("while a command runs", () => {
    needs(onLinux, "/proc, as Linux has it");

    test("is not in the list of processes", async () => {
      const server = await scriptedServer(silence);
      const { options, flags } = keyFrom(source, canaryKey, server);
      const child = startPayments(["list", ...flags], options);
      await vi.waitUntil(() => server.requests.length > 0, { timeout: 120_000 });
      const texts = ["cmdline", "comm", "status"].map((name) =>
        readFileSync(`/proc/${child.pid}/${name}`, "latin1"),
      );
      child.kill("SIGKILL");
      expect(texts.join(" ")).toContain("list");
      expect(leaksIn(texts.join(" "))).toEqual([]);
    });
  });
});

describe.concurrent.each(Object.entries(wrongKeys))("a key that is %s", (kind, key) => {
  const [first = "standard input"] = sources.slice(Object.keys(wrongKeys).indexOf(kind) % 3);

  test.each<[Source | "login"]>([[first], ["login"]])(
    "is neither sent nor repeated nor stored, from %s: exit 4",
    async (source) => {
      const server = await scriptedServer(list);
      const home = createTemporaryHome();
      const { options, flags } = keyFrom(source === "login" ? first : source, key, server);
      const ran =
        source === "login"
          ? await runPayments(["login", "--base-url", server.url], { home, stdin: key })
          : await runPayments(["list", "--debug", "--json", ...flags], { ...options, home });
      expect(ran.exitCode).toBe(4);
      expect(ran.stdout).toBe("");
      expect(leaksIn(ran.stderr)).toEqual([]);
      expect(readdirSync(home)).toEqual([]);
      expect(server.requests).toEqual([]);
    },
  );
});

test.concurrent.each(["--json", "--debug"])(
  "a key that the service repeats is not repeated (%s)",
  async (form) => {
    const message = `There is no key ${canaryKey}, not even ${canaryKey.toUpperCase()}.`;
    const echo = { "x-key": canaryKey, "www-authenticate": `Bearer error="${canaryKey}"` };
    const error = { ...envelopeError, message, param: canaryKey };
    const server = await scriptedServer(json(401, { error }, echo));
    const { options } = keyFrom("PAYMENTS_API_KEY", canaryKey, server);
    const ran = await runPayments(["list", form], options);
    expect(ran.exitCode).toBe(4);
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
  },
);

test.concurrent("login stores the key in one file of mode 0600, until logout", async () => {
  const server = await scriptedServer(list, list, json(200, accountWith({ livemode: true })));
  const home = createTemporaryHome();
  const env = { PAYMENTS_MODE: "live" };
  const run = async (...args: string[]) => {
    const ran = await runPayments(args, { home, env, stdin: canaryKey });
    expect(ran.exitCode).toBe(0);
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
  };
  await run("login", "--base-url", server.url);
  await run("list", "--debug");
  await run("whoami", "--debug", "--json");
  expect(leakingFiles(home)).toEqual(["login-live.json"]);
  expect(statSync(join(home, "login-live.json")).mode & 0o777).toBe(0o600);
  expectOnlyInHeader(server);
  await run("logout");
  expect(leakingFiles(home)).toEqual([]);
});
