import { existsSync } from "node:fs";
import { join } from "node:path";
import { createChildEnvironment, findProgramBeside } from "../../runtime/child-programs.ts";
import { tryParseJson } from "../../runtime/text.ts";
import type { Environment } from "./blank-settings.ts";

/** Why a keyring did nothing; the reason is a clause. `absent`: there is none to call, so that files have the keys. */
export type KeyringFailure = { answer: "locked" | "unavailable" | "absent"; reason: string };
type Missing = { answer: "none" };
type Done = { answer: "done" };

/** The operating system's store of secrets. It throws nothing: each outcome is an answer. */
export type Keyring = {
  get: (account: string) => { answer: "secret"; secret: string } | Missing | KeyringFailure;
  set: (account: string, secret: string) => Done | KeyringFailure;
  remove: (account: string) => Done | Missing | KeyringFailure;
};
export type KeyringAnswer = ReturnType<Keyring[keyof Keyring]>;

/** The name under which a keyring shows the entries of this program. */
const service = "payments-cli";

/** A call may take 2 s in all: the remaining 200 ms are for ending the process. */
const defaultLimitMs = 1_800;

/**
 * The keyring of this user. With PAYMENTS_HOME set it is never called, so that homes share nothing. On Linux
 * without a session bus there is no keyring, so no process is started to try.
 */
export function openKeyring(env: Environment, limitMs = defaultLimitMs): Keyring {
  if (env["PAYMENTS_HOME"]) {
    return failWith("the keyring is not used while PAYMENTS_HOME is set");
  }
  if (process.platform === "linux" && !hasSessionBus(env)) {
    return failWith("no keyring can be reached without a D-Bus session");
  }
  return {
    get: (account) => callKeyring("get", account, { env, limitMs }),
    set: (account, input) => callKeyring("set", account, { env, limitMs, input }),
    remove: (account) => callKeyring("remove", account, { env, limitMs }),
  };
}

function failWith(reason: string): Keyring {
  const answer = () => ({ answer: "absent", reason }) as const;
  return { get: answer, set: answer, remove: answer };
}

/**
 * Each call runs in a process of its own: a call into a keyring that never answers cannot be canceled, and
 * this process could not end. Secrets pass through pipes only.
 */
function callKeyring<Verb extends keyof Keyring>(
  verb: Verb,
  account: string,
  { env, limitMs, input = "" }: { env: Environment; limitMs: number; input?: string },
): ReturnType<Keyring[Verb]> | KeyringFailure {
  const { spawnSync } = process.getBuiltinModule("node:child_process"); // few commands get here
  const program = findProgramBeside(import.meta.url, "keyring-process");
  const { stdout, signal } = spawnSync(process.execPath, [program, verb, service, account], {
    env: createChildEnvironment(env),
    input,
    encoding: "utf8",
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const answer = tryParseJson(stdout) as ReturnType<Keyring[Verb]> | undefined;
  const isKilled = signal === "SIGKILL";
  return (
    answer ?? {
      answer: "unavailable",
      reason: isKilled
        ? "the keyring did not answer within 2 s"
        : "the keyring could not be called",
    }
  );
}

/** Looks where libdbus looks for a session bus. */
function hasSessionBus(env: Environment): boolean {
  const runtime = env["XDG_RUNTIME_DIR"];
  return Boolean(env["DBUS_SESSION_BUS_ADDRESS"] || (runtime && existsSync(join(runtime, "bus"))));
}
