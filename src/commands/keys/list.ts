import { BaseCommand } from "../../base-command.ts";
import { databaseFlag, jsonFlag } from "../../flags.ts";
import { keysTable } from "../../output/key-text.ts";

export default class KeysList extends BaseCommand {
  static override summary = "List the API keys, ended ones too.";
  static override examples = ["<%= config.bin %> keys list"];
  static override flags = { ...databaseFlag, ...jsonFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysList);
    const data = await this.withService(flags, async (service) => service.listKeys());
    if (data.length === 0) this.note("No keys. Make one with payments keys create.", flags);
    if (data.length > 0 || flags.json) {
      this.show({ object: "list", data }, flags, () => keysTable(data, this.style));
    }
  }
}
