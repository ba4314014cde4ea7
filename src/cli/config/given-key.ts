import { apiKeyPattern } from "../../contract/administration.ts";
import { CommandError } from "../errors/command-error.ts";
import { readKeyFile } from "../flags/read-input.ts";
import { blankVariable, isBlank } from "./blank-settings.ts";
import type { Environment } from "./directories.ts";
import { toUsableKey, type UsableKey } from "./profile.ts";

/** Refuses a malformed key before it is sent anywhere, and never repeats it. */
export function checkKey(value: string, source: string): string {
  if (apiKeyPattern.test(value)) return value;
  const form = "svc_test_sk_ or svc_live_sk_ and 43 letters and digits";
  const [what, hint] =
    value === ""
      ? ["empty", `Put a key there, ${form}, or log in with payments login.`]
      : ["malformed", `A key is ${form}. Check that it was copied whole.`];
  throw new CommandError("key", `The API key from ${source} is ${what}.`, hint);
}

/** The key of `--api-key-file`, else of the environment: one that the user gives to this command alone. */
export async function readGivenKey(
  file: string | undefined,
  env: Environment,
): Promise<UsableKey | undefined> {
  if (file !== undefined) {
    return parseKey(await readKeyFile(file), file === "-" ? "standard input" : file);
  }
  const value = env["PAYMENTS_API_KEY"];
  if (value === undefined) return undefined;
  if (isBlank(value)) throw blankVariable("PAYMENTS_API_KEY");
  return parseKey(value, "PAYMENTS_API_KEY");
}

function parseKey(text: string, source: string): UsableKey {
  return toUsableKey(checkKey(text.trim(), source), source);
}
