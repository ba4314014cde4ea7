import { apiKeyPattern, parseKeyMode, type Mode } from "../../contract/key.ts";
import type { Keyring, KeyringFailure } from "./keyring.ts";
import { CommandError } from "../errors/command-error.ts";

/** A key that the keyring holds: all that is known of it without asking. */
export type KeyInKeyring = { mode: Mode; baseUrl: string; last4: string };

/**
 * The name of a key's entry. It names the mode and the service, so that no file of settings can send
 * a key anywhere else, and the key's end, so that a new key never overwrites the one still in use.
 */
export function toKeyringAccount({ mode, baseUrl, last4 }: KeyInKeyring): string {
  return `${mode} ${baseUrl} ${last4}`;
}

/** The key itself. Errors: a keyring that does not give it, or gives something else. */
export function readKey(keyring: Keyring, kept: KeyInKeyring): string {
  const { mode, baseUrl, last4 } = kept;
  const its = `The ${mode} key for ${baseUrl}`;
  const again = `Log in again with payments login --base-url ${baseUrl}, or ${wayRound}.`;
  const answer = keyring.get(toKeyringAccount(kept));
  switch (answer.answer) {
    case "secret": {
      const { secret } = answer;
      const isTheKey = apiKeyPattern.test(secret) && parseKeyMode(secret) === mode;
      if (isTheKey && secret.endsWith(last4)) return secret;
      throw new CommandError("key", `${its} was replaced in the keyring by something else.`, again);
    }
    case "none":
      throw new CommandError("key", `${its} is no longer in the keyring.`, again);
    case "empty":
      throw new CommandError("key", `${its} is empty in the keyring.`, again);
    case "locked":
    case "unavailable":
      throw new CommandError(
        "key",
        `${its} is kept in the keyring, but ${describeKeyringFailure(answer)}.`,
        answer.answer === "locked"
          ? `Unlock the keyring and try again, or ${wayRound}.`
          : `Try again where the keyring can be reached and is unlocked, log in again with payments login, or ${wayRound}.`,
      );
    default:
      return answer satisfies never;
  }
}

/** Why a keyring did nothing, as a clause. */
export function describeKeyringFailure(failure: KeyringFailure): string {
  return failure.answer === "locked" ? "the keyring is locked" : failure.reason;
}

const wayRound = "give the key in PAYMENTS_API_KEY or with --api-key-file";
