// A process that makes one call into the operating system's keyring and prints the answer as JSON:
//   node keyring-process.js get|set|remove SERVICE ACCOUNT     (the secret to set: on standard input)
// Such a call may never return; a process of its own can be killed (see keyring.ts).
import { readFileSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { KeyringAnswer } from "./keyring.ts";

// The parent times out sooner; but if the parent is killed, nothing else ends this process.
const ending = `setTimeout(() => process.kill(process.pid, "SIGKILL"), 2_000)`;
new Worker(ending, { eval: true }).unref();

const [verb = "", service = "", account = ""] = process.argv.slice(2);
void callLibrary().then((answer) => writeSync(1, JSON.stringify(answer)));

async function callLibrary(): Promise<KeyringAnswer> {
  const library = await import("@napi-rs/keyring").catch(() => undefined);
  if (!library) return { answer: "absent", reason: "@napi-rs/keyring is not installed" };
  try {
    // Not the Linux kernel's keyring, which loses everything at a restart.
    const entry = new library.Entry(service, account, { linux: { store: "secret-service" } });
    switch (verb) {
      case "get": {
        const secret = entry.getPassword();
        return secret === null ? { answer: "none" } : { answer: "secret", secret };
      }
      case "set":
        entry.setPassword(readFileSync(0, "utf8"));
        return { answer: "done" };
      case "remove":
        return { answer: entry.deletePassword() ? "done" : "none" };
      default:
        return { answer: "unavailable", reason: "the keyring does not know this operation" };
    }
  } catch (error) {
    const text = Error.isError(error) ? error.message : String(error);
    // The library's errors differ only in their texts.
    if (/object locked|unlock prompt|interaction is not allowed/i.test(text)) {
      return { answer: "locked", reason: "the keyring is locked" };
    }
    const line = text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200);
    return { answer: "unavailable", reason: `the keyring cannot be used (${line})` };
  }
}
