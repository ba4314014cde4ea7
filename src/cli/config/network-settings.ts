import { isConfidential } from "../../runtime/transport-safety.ts";
import { usageError } from "../output/command-error.ts";
import type { Environment } from "./blank-settings.ts";
import { parseUrl } from "../flags/checked-values.ts";
import { assertSafeTransport } from "./resolve-settings.ts";

type NetworkAdapter = { url: string; secret: string };

type StripeAccount = { stripe: { secretKey: string; baseUrl?: string } };

/**
 * Resolves `serve --network`, with secrets from the environment; undefined for the simulator. `setting` is where the
 * name was given. Errors: no such network, and those of `resolveAdapter` and `resolveStripe`.
 */
export function resolveNetwork(
  name: string,
  env: Environment,
  setting = "--network",
): NetworkAdapter | StripeAccount | undefined {
  if (name === "simulator") return undefined;
  if (name === "stripe") return resolveStripe(env);
  if (/^https?:/i.test(name)) return resolveAdapter(name, env, setting);
  throw usageError(
    `${setting} is neither simulator, nor stripe, nor an address.`,
    "Give stripe, or the https:// address of an adapter; docs/network-protocol.md describes how to write one.",
  );
}

/** Resolves the network whose books are compared, as PAYMENTS_NETWORK names it. Errors: it names none with books. */
export function resolveAttachedNetwork(env: Environment): NetworkAdapter | StripeAccount {
  const name = env["PAYMENTS_NETWORK"]?.trim() || undefined;
  const network = name === undefined ? undefined : resolveNetwork(name, env, "PAYMENTS_NETWORK");
  if (network) return network;
  throw usageError(
    name === undefined
      ? "PAYMENTS_NETWORK is not set."
      : "PAYMENTS_NETWORK is simulator. The built-in simulator moves no money, so it has no books.",
    "Set PAYMENTS_NETWORK to stripe, or to the adapter's address, as for payments serve, or compare with a file: --report FILE.",
  );
}

/** Text that a header can carry. */
const headerText = /^[\x20-\x7e]+$/;

/**
 * Resolves an adapter's address and its secret from the environment. Errors: a malformed address, one where
 * others could read card numbers, or no secret.
 */
export function resolveAdapter(
  address: string,
  env: Environment,
  setting = "The adapter's address",
): NetworkAdapter {
  const url = parseNetworkUrl(address, setting, env);
  const meaning = "the secret that the adapter requires, in ASCII characters";
  return { url, secret: readSecret(env, "PAYMENTS_NETWORK_SECRET", meaning) };
}

/** Errors: those of `resolveAdapter`, and a publishable key, which cannot charge. */
function resolveStripe(env: Environment): StripeAccount {
  const key = "PAYMENTS_STRIPE_SECRET_KEY";
  const meaning = "the secret key of your Stripe account, or of a sandbox for testing";
  const secretKey = readSecret(env, key, meaning);
  if (secretKey.startsWith("pk_")) {
    throw usageError(
      `${key} holds a publishable key, with which nothing can be charged.`,
      `Set it to ${meaning}.`,
    );
  }
  const address = env["PAYMENTS_STRIPE_BASE_URL"]?.trim();
  if (address === undefined) return { stripe: { secretKey } };
  return {
    stripe: { secretKey, baseUrl: parseNetworkUrl(address, "PAYMENTS_STRIPE_BASE_URL", env) },
  };
}

function parseNetworkUrl(address: string, name: string, env: Environment): string {
  const url = parseUrl(address, name);
  if (!isConfidential(url)) {
    throw usageError(
      "Card numbers would go to the card network without encryption. Nothing was sent.",
      `${name} must begin with https://, or on this machine be http://127.0.0.1.`,
    );
  }
  assertSafeTransport({ baseUrl: url, mode: "live" }, {}, env);
  return url;
}

function readSecret(env: Environment, name: string, meaning: string): string {
  const secret = env[name]?.trim() ?? "";
  if (headerText.test(secret)) return secret;
  throw usageError(
    secret === "" ? `${name} is not set.` : `${name} has characters that cannot be sent.`,
    `Set it to ${meaning}.`,
  );
}
