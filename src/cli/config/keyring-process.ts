// A process that makes one call into the operating system's keyring and prints the answer as JSON:
//   node keyring-process.js get|set|delete SERVICE ACCOUNT     (the secret to set: on standard input)
// What may wait for ever waits here, where it can be killed (see keyring.ts).
import { readFileSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Entry } from "@napi-rs/keyring";
import type { KeyringAnswer, KeyringFailure } from "./keyring.ts";

// Who asks gives up sooner; but who asks may be killed, and then nobody else ends this process.
const ending = `setTimeout(() => process.kill(process.pid, "SIGKILL"), 2_000)`;
new Worker(ending, { eval: true }).unref();

const [verb = "", service = "", account = ""] = process.argv.slice(2);
void answerTo(verb).then((answer) => writeSync(1, JSON.stringify(answer)));

async function answerTo(asked: string): Promise<KeyringAnswer> {
  const library = await import("@napi-rs/keyring").catch(() => undefined);
  if (!library) return { answer: "unavailable", reason: "@napi-rs/keyring is not installed" };
  try {
    // The kernel's keyring, which Linux would offer as well, forgets everything at a restart.
    const linux = { store: "secret-service" } as const;
    return call(new library.Entry(service, account, { linux }), asked);
  } catch (error) {
    return failure(error);
  }
}

function call(entry: Entry, asked: string): KeyringAnswer {
  switch (asked) {
    case "get": {
      const secret = entry.getPassword();
      if (secret === null) return { answer: "none" };
      return secret === "" ? { answer: "empty" } : { answer: "secret", secret };
    }
    case "set":
      entry.setPassword(readFileSync(0, "utf8"));
      return { answer: "done" };
    case "delete":
      return { answer: entry.deletePassword() ? "done" : "none" };
    default:
      return { answer: "unavailable", reason: "the keyring was asked for something unknown" };
  }
}

/** The library tells its errors apart by their texts alone. */
function failure(error: unknown): KeyringFailure {
  const text = error instanceof Error ? error.message : String(error);
  if (/object locked|unlock prompt|interaction is not allowed/i.test(text)) {
    return { answer: "locked" };
  }
  return { answer: "unavailable", reason: `the keyring cannot be used (${onOneLine(text)})` };
}

function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200);
}
