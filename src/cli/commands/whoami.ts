import { BaseCommand } from "../program/base-command.ts";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { resolveKey } from "../config/connect.ts";
import type { Source } from "../config/contexts.ts";
import { CommandError } from "../output/command-error.ts";
import { connectionFlags, outputFlags, switchFlag } from "../flags/flags.ts";
import { findAccount, resolveSafeSettings, withClient } from "../program/connection.ts";
import { describeReading } from "../output/command-facts.ts";

export default class Whoami extends BaseCommand {
  static override summary =
    "Show the context, the mode, the service, the key, and whether it is accepted.";
  static override examples = ["payments whoami", "payments whoami --offline --json"];
  static override flags = {
    offline: switchFlag("Do not contact the service."),
    ...outputFlags,
    ...connectionFlags,
  };
  static facts = describeReading({
    object: null,
    fields: [
      "context",
      "mode",
      "base_url",
      "service_version",
      "key.source",
      "key.last4",
      "accepted",
      "account.id",
      "account.name",
      "sources",
      "permissions",
      "max_refund",
    ],
  });

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami);
    const output = this.parseOutput(flags);
    const settings = await resolveSafeSettings(this, flags, { sends: !flags.offline });
    const used = await resolveKey(settings);
    const key = used ? { source: used.source, last4: used.last4 } : null;
    const { accepted, account } = flags.offline
      ? { accepted: null, account: null }
      : await withClient(this, flags, settings, checkKey);
    const { context = null, mode, baseUrl, serviceVersion = null, sources } = settings;
    await this.show(
      {
        value: {
          context,
          mode,
          base_url: baseUrl,
          service_version: serviceVersion,
          key,
          accepted,
          account: account && { id: account.id, name: account.name },
          sources,
          permissions: account?.permissions ?? null,
          max_refund: account?.max_refund ?? null,
        },
        text: async () => {
          const { formatDetails } = await import("../output/table.ts");
          const { formatGrant } = await import("../../contract/administration.ts");
          const { escapeControls } = await import("../../runtime/text.ts");
          const source = key?.source === "keyring" ? "the keyring" : key?.source;
          return formatDetails(
            [
              ["Context", context && from(context, sources.context)],
              ["Mode", from(mode, sources.mode)],
              ["Service", from(baseUrl, sources.base_url)],
              ["API version", serviceVersion && from(serviceVersion, sources.service_version)],
              ["Key", key ? `…${key.last4}, from ${source}` : "none is needed"],
              ["Account", account && escapeControls(account.name)],
              ["May", account && escapeControls(formatGrant(account))],
              ["Accepted", accepted === null ? "not checked" : accepted ? "yes" : "no"],
            ],
            this.style,
          );
        },
      },
      output,
    );
    if (accepted === false) {
      throw new CommandError(
        "key",
        "The service does not accept this key.",
        "Log in again with payments login, or create a key with payments keys create.",
      );
    }
  }
}

/** A setting, and where it comes from. */
function from(value: string, source: Source): string {
  if (source === "default") return `${value}, by default`;
  return source === "stored" ? `${value}, stored` : `${value}, from ${source}`;
}

/** Checks the key with a request to the service. Errors: the base URL is not that of a service. */
async function checkKey(client: PaymentsClient) {
  try {
    return { accepted: true, account: await findAccount(client) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    return { accepted: false, account: null };
  }
}
