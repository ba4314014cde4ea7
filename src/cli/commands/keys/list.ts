import { BaseCommand } from "../../base/base-command.ts";
import { databaseFlag, oneAccountFlag, outputFlags } from "../../parse/flags.ts";
import { chosenAccount } from "../../parse/chosen-account.ts";
import { accountOf } from "../../config/resolve-settings.ts";
import { keyView } from "../../output/views.ts";

export default class KeysList extends BaseCommand {
  static override summary = "List the API keys, also those that no longer work.";
  static override examples = ["<%= config.bin %> keys list"];
  static override flags = { ...oneAccountFlag, ...databaseFlag, ...outputFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysList);
    const output = this.outputOf(flags);
    const data = await this.withService(flags, async (service) => {
      const id = accountOf(flags.account, process.env);
      if (id === undefined) return await service.listKeys();
      const account = chosenAccount(await service.listAccounts(), id);
      return await service.listKeys(account.id);
    });
    if (data.length === 0) this.note("No keys. Make one with payments keys create.", output);
    await this.showMany(keyView, { object: "list", data }, output);
  }
}
