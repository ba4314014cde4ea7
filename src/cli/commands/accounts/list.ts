import { BaseCommand } from "../../base-command.ts";
import { accountFields } from "../../../contract/account.ts";
import { databaseFlag, outputFlags } from "../../flags.ts";

export default class AccountsList extends BaseCommand {
  static override summary = "List the accounts, oldest first.";
  static override examples = ["<%= config.bin %> accounts list"];
  static override flags = { ...databaseFlag, ...outputFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(AccountsList);
    const output = this.outputOf(flags);
    const data = await this.withService(flags, async (service) => service.listAccounts());
    const { style, width } = this;
    await this.show(
      {
        value: { object: "list", data },
        records: data,
        columns: accountFields,
        text: async () =>
          (await import("../../output/account-text.ts")).accountsTable(data, { style, width }),
      },
      output,
    );
  }
}
