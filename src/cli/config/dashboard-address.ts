import { createHttpTransport } from "../../client/transport.ts";
import { isConfidential } from "../../runtime/transport-safety.ts";
import type { InvitedOperator, Operator } from "../../contract/operator.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import type { NameSetting } from "../parse/setting-names.ts";
import { parseUrl } from "./resolve-settings.ts";

const timeoutMs = 10_000;

/** Parses the URL of a dashboard. Refuses a connection on which others could read the link that signs in. */
export function resolveDashboardUrl(text: string, name: NameSetting): string {
  const setting = name("public-url");
  const url = parseUrl(text, setting);
  if (isConfidential(url)) return url;
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

/** Errors: `unavailable`, with a hint how to start a dashboard. */
export async function assertDashboardAnswers(url: string): Promise<void> {
  const transport = createHttpTransport(url);
  const path = "/dashboard/sign-in";
  const request = { method: "GET", path, headers: {}, timeoutMs } as const;
  try {
    if ((await transport.send(request)).status === 200) return;
  } catch {
    // Every failure has the same remedy, given below.
  } finally {
    await transport.close();
  }
  throw new CommandError(
    "unavailable",
    `No dashboard answers at ${url}. Nobody was invited.`,
    "Start it with payments serve --dashboard, or give its address with --public-url.",
  );
}
