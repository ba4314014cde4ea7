import { resolveDirectories } from "../../config/blank-settings.ts";
import {
  findNamedContext,
  readContext,
  readContextInUse,
  renameContext,
} from "../../config/contexts.ts";
import { openKeyring } from "../../config/keyring.ts";
import { outputFlags, requiredArg } from "../../flags/flags.ts";
import type { CommandFacts } from "../../output/command-facts.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { assertNothingLeft } from "./delete.ts";
import { contextView, settingsExits } from "./list.ts";

export default class ContextRename extends BaseCommand {
  static override summary = "Give a context another name.";
  static override examples = ["payments context rename default production"];
  static override args = {
    name: requiredArg("The name of the context."),
    new: requiredArg("Its new name: small letters, digits and hyphens, at most 32."),
  };
  static override flags = { ...outputFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: {
      ...settingsExits,
      key: "a key is in a keyring that is locked: nothing was renamed",
      conflict: "there is a context of the new name already",
    },
    output: { object: null, fields: contextView.fields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextRename);
    const output = this.parseOutput(flags);
    const { env } = process;
    const directories = resolveDirectories(env);
    const names = { name: args.name, newName: args.new };
    const left = renameContext(directories, names, openKeyring(env));
    const inUse = findNamedContext(undefined, env) ?? readContextInUse(directories);
    const context = readContext(directories, args.new, inUse.name);
    const done = `The context ${args.name} is now ${args.new}.`;
    await this.showOne(contextView, context, output, done);
    this.note(done, output);
    assertNothingLeft(left);
  }
}
