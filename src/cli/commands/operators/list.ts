import { BaseCommand } from "../../base/base-command.ts";
import { databaseFlag, oneAccountFlag, outputFlags } from "../../parse/flags.ts";
import { chosenAccount } from "../../parse/chosen-account.ts";
import { accountOf } from "../../config/resolve-settings.ts";
import { operatorView } from "../../output/views.ts";

export default class OperatorsList extends BaseCommand {
  static override summary = "List the operators who were not removed.";
  static override examples = ["<%= config.bin %> operators list"];
  static override flags = { ...oneAccountFlag, ...databaseFlag, ...outputFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(OperatorsList);
    const output = this.outputOf(flags);
    const data = await this.withService(flags, async (service) => {
      const id = accountOf(flags.account, process.env);
      if (id === undefined) return await service.listOperators();
      const account = chosenAccount(await service.listAccounts(), id);
      return await service.listOperators(account.id);
    });
    if (data.length === 0) {
      this.note("No operators. Invite one with payments operators invite.", output);
    }
    await this.showMany(operatorView, { object: "list", data }, output);
  }
}
