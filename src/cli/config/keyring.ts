import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createChildEnvironment } from "../../runtime/child-environment.ts";
import { tryParseJson } from "../../runtime/json.ts";
import type { Environment } from "./directories.ts";

/** Why a keyring did nothing; a reason is a clause, such as "there is no keyring". */
export type KeyringFailure = { answer: "locked" } | { answer: "unavailable"; reason: string };
type Answers = {
  get:
    | { answer: "secret"; secret: string }
    | { answer: "empty" }
    | { answer: "none" }
    | KeyringFailure;
  set: { answer: "done" } | KeyringFailure;
  delete: { answer: "done" } | { answer: "none" } | KeyringFailure;
};
export type KeyringAnswer = Answers[keyof Answers];

/** Where the operating system keeps secrets. Nothing is thrown: each outcome is an answer. */
export type Keyring = {
  get: (account: string) => Answers["get"];
  set: (account: string, secret: string) => Answers["set"];
  remove: (account: string) => Answers["delete"];
};

/** The name under which a keyring shows the entries of this program. */
const service = "payments-cli";

/** A call, its end included, takes at most 2 s: what is left over is for ending the process. */
const defaultLimitMs = 1_800;

/**
 * The keyring of this user. With PAYMENTS_HOME set it is never called, so that homes share nothing;
 * without a session bus there is none on Linux, which is known without asking.
 */
export function openKeyring(env: Environment, limitMs = defaultLimitMs): Keyring {
  if (env["PAYMENTS_HOME"]) {
    return keyringThatFails("the keyring is not used while PAYMENTS_HOME is set");
  }
  if (process.platform === "linux" && !hasSessionBus(env)) {
    return keyringThatFails("no keyring can be reached without a D-Bus session");
  }
  return systemKeyring(env, limitMs);
}

/**
 * Each call runs in a process of its own: one into a keyring that never answers cannot be cancelled,
 * and would keep this process from ending. Secrets pass through pipes only.
 */
function systemKeyring(env: Environment, limitMs: number): Keyring {
  return {
    get: (account) => ask("get", account, { env, limitMs }),
    set: (account, input) => ask("set", account, { env, limitMs, input }),
    remove: (account) => ask("delete", account, { env, limitMs }),
  };
}

function keyringThatFails(reason: string): Keyring {
  const answer = () => ({ answer: "unavailable", reason }) as const;
  return { get: answer, set: answer, remove: answer };
}

function ask<Verb extends keyof Answers>(
  verb: Verb,
  account: string,
  { env, limitMs, input = "" }: { env: Environment; limitMs: number; input?: string },
): Answers[Verb] {
  const { spawnSync } = process.getBuiltinModule("node:child_process"); // few commands get here
  const { stdout, signal } = spawnSync(process.execPath, [program(), verb, service, account], {
    env: createChildEnvironment(env),
    input,
    encoding: "utf8",
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const answer = tryParseJson(stdout) as Answers[Verb] | undefined;
  return answer ?? { answer: "unavailable", reason: whySilent(signal) };
}

/** The program beside this file: built it is a file of its own, from source it runs as it is. */
function program(): string {
  const kind = import.meta.url.endsWith(".ts") ? "ts" : "cjs";
  return fileURLToPath(new URL(`./keyring-process.${kind}`, import.meta.url));
}

function whySilent(signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") return "the keyring did not answer within 2 s";
  return "the keyring could not be asked";
}

/** Where libdbus looks for one. */
function hasSessionBus(env: Environment): boolean {
  const runtime = env["XDG_RUNTIME_DIR"];
  return Boolean(env["DBUS_SESSION_BUS_ADDRESS"] || (runtime && existsSync(join(runtime, "bus"))));
}
