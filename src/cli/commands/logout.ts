import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import { openKeyring } from "../config/keyring.ts";
import { deleteLogin, hasLogin } from "../config/profile.ts";
import { resolveDirectories } from "../config/directories.ts";
import { resolveMode } from "../config/resolve-settings.ts";
import { modes } from "../../contract/key.ts";
import { CommandError } from "../errors/command-error.ts";

export default class Logout extends BaseCommand {
  static override summary = "Forget the stored key of a mode.";
  static override examples = ["<%= config.bin %> logout", "<%= config.bin %> logout --mode live"];
  static override flags = {
    mode: Flags.option({
      summary: "The mode whose key to forget. Default: the current mode.",
      options: modes,
    })(),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const directories = resolveDirectories(process.env);
    const mode = flags.mode ?? resolveMode(process.env);
    const { wasThere, left: inKeyring } = deleteLogin(directories, mode, openKeyring(process.env));
    const left = modes.find((other) => hasLogin(directories, other));
    const those = left === undefined ? "Commands" : `Commands in ${mode} mode`;
    this.note(wasThere ? `Forgot the ${mode} key.` : `There is no stored ${mode} key.`);
    if (!process.env["PAYMENTS_BASE_URL"]) {
      this.note(`${those} ${wasThere ? "now use" : "use"} the embedded service.`);
    }
    if (left !== undefined) this.note(`The ${left} key is still stored.`);
    if (inKeyring) {
      throw new CommandError(
        "unavailable",
        `The keyring still holds the ${mode} key, since ${inKeyring.since}.`,
        `Remove the entry “${inKeyring.account}” from the keyring yourself, or revoke the key.`,
      );
    }
  }
}
