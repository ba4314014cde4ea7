import { isLoopback } from "../../client/loopback.ts";
import { usageError } from "../errors/command-error.ts";
import type { Environment } from "./directories.ts";
import { parseUrl } from "./resolve-settings.ts";
import { assertSafeTransport } from "./transport-security.ts";

/** The adapter of a card network, and the secret that it asks for. */
export type NetworkAdapter = { url: string; secret: string };

/** The operator's account at Stripe. */
export type StripeAccount = { stripe: { secretKey: string; baseUrl?: string } };

/**
 * The network that `serve --network` names, with its secrets from the environment; none for the simulator.
 * Errors: no such network, and those of `resolveAdapter` and `stripeAt`.
 */
export function resolveNetwork(
  name: string,
  env: Environment,
): NetworkAdapter | StripeAccount | undefined {
  if (name === "simulator") return undefined;
  if (name === "stripe") return stripeAt(env);
  if (/^https?:/i.test(name)) return resolveAdapter(name, env);
  throw usageError(
    "--network is neither simulator, nor stripe, nor an address.",
    "Give stripe, or the https:// address of an adapter; docs/network-protocol.md says how one is written.",
  );
}

/** What may be sent as a header as it is. */
const sendable = /^[\x20-\x7e]+$/;

/**
 * The adapter at an address, with the secret that the environment has for it. Errors: no such address,
 * one where others could read card numbers on their way, or no secret.
 */
export function resolveAdapter(address: string, env: Environment): NetworkAdapter {
  const url = safeUrl(address, "The adapter's address", env);
  const secret = secretIn(
    env,
    "PAYMENTS_NETWORK_SECRET",
    "the secret that the adapter asks for, in ASCII characters",
  );
  return { url, secret };
}

/** The account at Stripe whose secret key the environment has. Errors: as of `resolveAdapter`. */
function stripeAt(env: Environment): StripeAccount {
  const key = "PAYMENTS_STRIPE_SECRET_KEY";
  const meaning = "the secret key of your Stripe account, or of a sandbox to rehearse";
  const secretKey = secretIn(env, key, meaning);
  if (secretKey.startsWith("pk_")) {
    throw usageError(
      `${key} holds a publishable key, with which nothing can be charged.`,
      `Set it to ${meaning}.`,
    );
  }
  const address = env["PAYMENTS_STRIPE_BASE_URL"]?.trim();
  if (address === undefined) return { stripe: { secretKey } };
  return { stripe: { secretKey, baseUrl: safeUrl(address, "PAYMENTS_STRIPE_BASE_URL", env) } };
}

function safeUrl(address: string, name: string, env: Environment): string {
  const url = parseUrl(address, name);
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    throw usageError(
      "Card numbers would go to the card network without encryption. Nothing was sent.",
      "Use https://, or on this machine http://127.0.0.1.",
    );
  }
  assertSafeTransport({ baseUrl: url, mode: "live" }, {}, env);
  return url;
}

function secretIn(env: Environment, name: string, meaning: string): string {
  const secret = env[name]?.trim() ?? "";
  if (sendable.test(secret)) return secret;
  throw usageError(
    secret === "" ? `${name} is not set.` : `${name} has characters that cannot be sent.`,
    `Set it to ${meaning}.`,
  );
}
