import { apiKeyPattern, parseKeyMode, type Mode } from "../../contract/key.ts";
import { CommandError } from "../errors/command-error.ts";
import type { Keyring } from "./keyring.ts";

/** A key in the keyring, as far as it is known without a call into the keyring. */
export type KeyInKeyring = { mode: Mode; baseUrl: string; last4: string };

/**
 * The name of a key's entry. It contains the mode and the service, so that no settings file can send a key
 * anywhere else, and the key's last characters, so that a new key never overwrites the one still in use.
 */
export function toKeyringAccount({ mode, baseUrl, last4 }: KeyInKeyring): string {
  return `${mode} ${baseUrl} ${last4}`;
}

/** Errors: the keyring does not return the key, or returns something else. */
export function readKey(keyring: Keyring, entry: KeyInKeyring): string {
  const { mode, baseUrl, last4 } = entry;
  const answer = keyring.get(toKeyringAccount(entry));
  if (answer.answer === "secret") {
    const { secret } = answer;
    const isKey = apiKeyPattern.test(secret) && parseKeyMode(secret) === mode;
    if (isKey && secret.endsWith(last4)) return secret;
  }
  const alternative = "give the key in PAYMENTS_API_KEY or with --api-key-file";
  const fail = (what: string, remedy: string) =>
    new CommandError(
      "key",
      `The ${mode} key for ${baseUrl} ${what}.`,
      `${remedy}, or ${alternative}.`,
    );
  const logIn = `Log in again with payments login --base-url ${baseUrl}`;
  switch (answer.answer) {
    case "secret": {
      const isEmpty = answer.secret === "";
      const what = isEmpty
        ? "is empty in the keyring"
        : "was replaced in the keyring by something else";
      throw fail(what, logIn);
    }
    case "none":
      throw fail("is no longer in the keyring", logIn);
    case "locked":
    case "unavailable":
      throw fail(
        `is stored in the keyring, but ${answer.reason}`,
        answer.answer === "locked"
          ? "Unlock the keyring and try again"
          : "Try again where the keyring can be reached and is unlocked, log in again with payments login",
      );
    default:
      return answer satisfies never;
  }
}
