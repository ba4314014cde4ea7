import { createHttpTransport } from "../../runtime/http-transport.ts";
import { isConfidential } from "../../runtime/transport-safety.ts";
import type { InvitedOperator, Operator } from "../../contract/administration.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import type { NameSetting } from "../flags/typed-values.ts";
import type { Environment } from "./directories.ts";
import { resolveListeningUrl } from "./health-address.ts";
import { parseUrl } from "./resolve-settings.ts";

const timeoutMs = 5_000;

/**
 * The address of the dashboard: the given one, else that of a service that was started with these variables, on this
 * machine. Refuses a connection on which others could read the link that signs in.
 */
export function resolveDashboardUrl(
  given: string | undefined,
  name: NameSetting,
  env: Environment,
): string {
  const setting = name("public-url");
  const how = "Give the dashboard's address with --public-url.";
  const url =
    given === undefined
      ? resolveListeningUrl(env, "PAYMENTS_PORT", { what: "--public-url", how })
      : parseUrl(given, setting);
  if (isConfidential(url)) return url;
  if (given === undefined) {
    throw usageError(
      "PAYMENTS_HOST is another address than this machine's own, over plain HTTP: others could read the link.",
      how,
    );
  }
  throw usageError(
    `${setting} must be https, or this machine's own address: otherwise others could read the link.`,
  );
}

/** Adds the invitation link to the operator. */
export function toInvitationUrl(
  url: string,
  invited: { operator: Operator; token: string; expiresAtMs: number },
): InvitedOperator {
  const { operator, token, expiresAtMs } = invited;
  const invitation = {
    url: `${url}/dashboard/invitations/${token}`,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
  return { ...operator, invitation };
}

/** Whether a dashboard answers at an address. */
export async function hasDashboard(url: string): Promise<boolean> {
  const transport = createHttpTransport(url);
  const path = "/dashboard/sign-in";
  try {
    const request = { method: "GET", path, headers: {}, timeoutMs } as const;
    return (await transport.send(request)).status === 200;
  } catch {
    return false; // every failure has the same remedy, which the caller gives
  } finally {
    await transport.close();
  }
}

/** Errors: `unavailable`, with a hint how to start a dashboard. */
export async function assertDashboardAnswers(url: string): Promise<void> {
  if (await hasDashboard(url)) return;
  throw new CommandError(
    "unavailable",
    `No dashboard answers at ${url}. Nobody was invited.`,
    "Start it with payments serve --dashboard, or give its address with --public-url.",
  );
}
