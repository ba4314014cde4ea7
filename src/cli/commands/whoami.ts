import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import type { KeyAccount } from "../../contract/schemas.ts";
import type { Settings } from "../config/resolve-settings.ts";
import { resolveKey, type ConnectionFlags } from "../config/connect.ts";
import { CommandError } from "../errors/command-error.ts";
import { connectionFlags, outputFlags } from "../parse/flags.ts";

export default class Whoami extends BaseCommand {
  static override summary = "Show the mode, the service, the key, and whether it is accepted.";
  static override examples = [
    "<%= config.bin %> whoami",
    "<%= config.bin %> whoami --offline --json",
  ];
  static override flags = {
    offline: Flags.boolean({ summary: "Do not ask the service." }),
    ...outputFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami);
    const output = this.outputOf(flags);
    const settings = await this.settings(flags, { sends: !flags.offline });
    const used = await resolveKey(settings);
    const key = used ? { source: used.source, last4: used.last4 } : null;
    const { accepted, account } = flags.offline ? notAsked : await this.ask(flags, settings);
    const { mode, baseUrl } = settings;
    await this.show(
      {
        value: { mode, base_url: baseUrl, key, accepted, account },
        text: async () => {
          const { formatDetails } = await import("../output/table.ts");
          const { escapeControls } = await import("../output/safe-text.ts");
          const place = key?.source === "keyring" ? "the keyring" : key?.source;
          return formatDetails(
            [
              ["Mode", mode],
              ["Service", baseUrl],
              ["Key", key ? `…${key.last4}, from ${place}` : "none is needed"],
              ["Account", account && escapeControls(account.name)],
              ["Accepted", accepted === null ? "not asked" : accepted ? "yes" : "no"],
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
        "Log in again with payments login, or make a key with payments keys create.",
      );
    }
  }

  private async ask(flags: ConnectionFlags, settings: Settings): Promise<Answer> {
    try {
      return await this.withClient(flags, settings, accountOfKey);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return refused;
      throw error;
    }
  }
}

/** Errors: the key is not accepted, or the base URL is not that of a service. */
async function accountOfKey({ account, payments }: PaymentsClient): Promise<Answer> {
  try {
    const { id, name } = await account.retrieve();
    return { accepted: true, account: { id, name } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "endpoint_not_found") throw error;
    // A service of an earlier version has no such path, and neither has a wrong base URL.
    await payments.list({ limit: 1 });
    return { accepted: true, account: null };
  }
}

/** What the service says of the key, and of its account where it knows that. */
type Answer = { accepted: boolean | null; account: Pick<KeyAccount, "id" | "name"> | null };
const notAsked: Answer = { accepted: null, account: null };
const refused: Answer = { accepted: false, account: null };
