import { resolveDirectories } from "../../config/blank-settings.ts";
import { assertContext, findNamedContext, readContext, useContext } from "../../config/contexts.ts";
import { outputFlags, requiredArg } from "../../flags/flags.ts";
import type { CommandFacts } from "../../output/command-facts.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { contextView, settingsExits } from "./list.ts";

export default class ContextUse extends BaseCommand {
  static override summary = "Switch the context that commands use.";
  static override description =
    "`embedded` leaves a login without forgetting it: commands use the service inside this program. PAYMENTS_CONTEXT and --context go before.";
  static override examples = ["payments context use staging", "payments context use embedded"];
  static override args = { name: requiredArg("The name of the context.") };
  static override flags = { ...outputFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: settingsExits,
    output: { object: null, fields: contextView.fields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextUse);
    const output = this.parseOutput(flags);
    const { env } = process;
    const directories = resolveDirectories(env);
    const { name } = args;
    assertContext(directories, { name });
    useContext(directories, name);
    const named = findNamedContext(undefined, env)?.name;
    const context = readContext(directories, name, named ?? name);
    await this.showOne(contextView, context, output, `Commands use ${name} now.`);
    if (named !== undefined && named !== name) {
      this.note(`Stored ${name}, but PAYMENTS_CONTEXT names another one here.`, output);
    } else {
      this.note(`Commands use ${name} (${context.mode}) now.`, output);
    }
  }
}
