import { BaseCommand } from "../../base/base-command.ts";
import { idArg, readFlags } from "../../parse/flags.ts";
import { checkId } from "../../parse/checked-values.ts";
import { endpointKind } from "../../output/kinds.ts";
import { endpointView } from "../../output/views.ts";

export default class WebhooksGet extends BaseCommand {
  static override summary = "Show one endpoint.";
  static override examples = [
    "<%= config.bin %> webhooks get we_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override args = { id: idArg(endpointKind) };
  static override flags = readFlags(endpointKind);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksGet);
    const output = this.parseOutput(flags, endpointKind);
    const id = checkId(endpointKind, args.id, "<id>");
    const endpoint = await this.read(flags, async (client) => client.webhookEndpoints.retrieve(id));
    await this.showOne(endpointView, endpoint, output);
  }
}
