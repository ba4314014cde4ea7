import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../program/base-command.ts";
import { openKeyring } from "../config/keyring.ts";
import { deleteLogin, hasLogin } from "../config/profile.ts";
import { resolveDirectories } from "../config/blank-settings.ts";
import { resolveMode } from "../config/resolve-settings.ts";
import { modes } from "../../contract/field-values.ts";
import { CommandError } from "../output/command-error.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Logout extends BaseCommand {
  static override summary = "Delete the stored key of a mode.";
  static override examples = ["payments logout", "payments logout --mode live"];
  static override flags = {
    mode: Flags.option({
      summary: "The mode whose key to delete. Default: the current mode.",
      options: modes,
    })(),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { unavailable: "the keyring still holds the key" },
    output: null,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const directories = resolveDirectories(process.env);
    const mode = flags.mode ?? resolveMode(process.env);
    const { wasThere, left } = deleteLogin(directories, mode, openKeyring(process.env));
    const other = modes.find((each) => hasLogin(directories, each));
    const commands = other === undefined ? "Commands" : `Commands in ${mode} mode`;
    this.note(wasThere ? `Deleted the ${mode} key.` : `There is no stored ${mode} key.`);
    if (!process.env["PAYMENTS_BASE_URL"]) {
      this.note(`${commands} ${wasThere ? "now use" : "use"} the embedded service.`);
    }
    if (other !== undefined) this.note(`The ${other} key is still stored.`);
    if (left) {
      throw new CommandError(
        "unavailable",
        `The keyring still holds the ${mode} key, since ${left.since}.`,
        `Remove the entry “${left.account}” from the keyring yourself, or revoke the key.`,
      );
    }
  }
}
