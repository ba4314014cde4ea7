import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../program/base-command.ts";
import { openKeyring } from "../config/keyring.ts";
import { hasSeveralContexts, readContextInUse, useContext } from "../config/contexts.ts";
import {
  changeProfile,
  defaultContext,
  deleteLogin,
  embedded,
  hasLogin,
  readService,
  unlessDamaged,
} from "../config/profile.ts";
import { resolveMode, resolvePlace } from "../config/resolve-settings.ts";
import { modes } from "../../contract/field-values.ts";
import { contextFlag } from "../flags/flags.ts";
import { CommandError } from "../output/command-error.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Logout extends BaseCommand {
  static override summary = "Delete the stored key of a mode.";
  static override examples = [
    "payments logout",
    "payments logout --mode live",
    "payments logout --context staging",
  ];
  static override flags = {
    mode: Flags.option({
      summary: "The mode whose key to delete. Default: the current mode.",
      options: modes,
    })(),
    ...contextFlag,
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { unavailable: "the keyring still holds the key" },
    output: null,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const { env } = process;
    const place = resolvePlace(flags.context, env);
    const { context } = place;
    const mode = flags.mode ?? resolveMode(env, place);
    const hasSeveral = hasSeveralContexts(place);
    const other = modes.find((each) => each !== mode && hasLogin(place, each));
    if (
      other === undefined &&
      hasLogin(place, mode) &&
      (hasSeveral || context !== defaultContext)
    ) {
      // The context stays, or commands would use another service unasked.
      changeProfile(place, { base_url: unlessDamaged(() => readService(place, mode)) });
    }
    const { wasThere, left } = deleteLogin(place, mode, openKeyring(env));
    const isLast = wasThere && other === undefined && !hasSeveral;
    if (isLast && readContextInUse(place).name === context) useContext(place, embedded);
    const isPlain = [defaultContext, embedded].includes(context) && !hasSeveral;
    const of = isPlain ? "" : ` of ${context}`;
    this.note(wasThere ? `Deleted the ${mode} key${of}.` : `There is no stored ${mode} key${of}.`);
    if (hasSeveral && context !== embedded) {
      this.note(`Commands in ${mode} mode of ${context} are refused until there is another one.`);
    } else if (!env["PAYMENTS_BASE_URL"]) {
      const commands = other === undefined ? "Commands" : `Commands in ${mode} mode`;
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
