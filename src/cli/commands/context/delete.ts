import { resolveDirectories } from "../../config/blank-settings.ts";
import {
  assertContext,
  assertContextName,
  deleteContext,
  readContexts,
  readContextInUse,
} from "../../config/contexts.ts";
import { openKeyring } from "../../config/keyring.ts";
import type { LeftoverKey } from "../../config/profile.ts";
import { outputFlags, requiredArg, yesFlag } from "../../flags/flags.ts";
import { CommandError, usageError } from "../../output/command-error.ts";
import { type CommandFacts, promptExits } from "../../output/command-facts.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { canceled } from "../../prompts/prompter.ts";
import { settingsExits } from "./list.ts";

export default class ContextDelete extends BaseCommand {
  static override summary = "Delete a context and its keys.";
  static override description =
    "Nothing changes at its service: its keys work on until they are revoked there. Where the context is in use, `embedded` is used in its place.";
  static override examples = [
    "payments context delete staging",
    "payments context delete staging --yes",
  ];
  static override args = { name: requiredArg("The name of the context.") };
  static override flags = { ...yesFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { ...settingsExits, ...promptExits },
    output: { object: null, fields: ["name", "deleted"] },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextDelete);
    const output = this.parseOutput(flags);
    const directories = resolveDirectories(process.env);
    const { name } = args;
    assertContext(directories, { name });
    assertContextName(name);
    if (!flags.yes && !this.canPrompt(flags, output)) {
      throw usageError(
        "Deleting a context needs --yes where it cannot be confirmed at a prompt. Nothing was deleted.",
      );
    }
    const { name: inUse } = readContextInUse(directories);
    const context = readContexts(directories, process.env).find((each) => each.name === name);
    const { base_url: url = null, modes = [] } = context ?? {};
    const keys =
      modes.length === 0 ? "" : ` and its ${modes.join(" and ")} key${modes.length > 1 ? "s" : ""}`;
    const question = `Delete the context ${name}, ${url},${keys}?`;
    if (!flags.yes && !(await (await this.openPrompter()).confirm(question))) {
      throw canceled("Canceled; nothing was deleted.");
    }
    const left = deleteContext(directories, name, openKeyring(process.env));
    const value = { name, deleted: true };
    await this.show({ value, text: () => `Deleted ${name}.` }, output);
    if (inUse === name) this.note("Commands use the embedded service now.", output);
    assertNothingLeft(left);
  }
}

/** Errors: keys that could not be removed from the keyring. */
export function assertNothingLeft(left: readonly LeftoverKey[]): void {
  const [first] = left;
  if (!first) return;
  const entries = left.map(({ account }) => `“${account}”`).join(" and ");
  throw new CommandError(
    "unavailable",
    `The keyring still holds what belonged to it, since ${first.since}.`,
    `Remove ${entries} from the keyring yourself, or revoke the ${left.length > 1 ? "keys" : "key"}.`,
  );
}
