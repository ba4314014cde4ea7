import { Flags } from "@oclif/core";
import { BaseCommand } from "../../base-command.ts";
import { modes } from "../../contract/key.ts";
import { databaseFlag, jsonFlag } from "../../flags.ts";
import { keyText } from "../../output/key-text.ts";

export default class KeysCreate extends BaseCommand {
  static override summary = "Make an API key. It is shown this once.";
  static override examples = [
    "<%= config.bin %> keys create --mode test --name ci",
    "<%= config.bin %> keys create --mode test --name ci --json | jq -r .key",
  ];
  static override flags = {
    mode: Flags.option({ summary: "Test or live data.", options: modes, required: true })(),
    name: Flags.string({ summary: "What the key is for.", required: true, helpValue: "<name>" }),
    ...databaseFlag,
    ...jsonFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysCreate);
    const { mode, name } = flags;
    const key = await this.withService(flags, async (service) => service.createKey({ mode, name }));
    this.show(key, flags, () => keyText(key, this.style));
    this.note("The key is shown only this once; keep it now.", flags);
  }
}
