import { databaseFlag, outputFlags, requiredArg } from "../../flags/flags.ts";
import { getCommandActor, withService } from "../../config/service-database.ts";
import { operatorView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { operatorFields } from "../../../contract/administration.ts";

export default class OperatorsRemove extends BaseCommand {
  static override summary = "Remove an operator. Every session ends at once, on every replica.";
  static override examples = ["payments operators remove op_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = {
    id: requiredArg("The operator's id."),
  };
  static override flags = { ...databaseFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: {
      ...databaseExits,
      not_found: "there is no such operator",
      conflict: "the last admin stays",
    },
    output: { object: "operator", fields: operatorFields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OperatorsRemove);
    const output = this.parseOutput(flags);
    const operator = await withService(flags, async (service) =>
      service.removeOperator(args.id, getCommandActor()),
    );
    const done = `The operator ${operator.id} was removed.`;
    await this.showOne(operatorView, operator, output, done);
  }
}
