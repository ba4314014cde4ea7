import { BaseCommand } from "../../program/base-command.ts";
import { idArg, readFlags } from "../../flags/flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { withReader } from "../../program/connection.ts";
import { describeReading } from "../../output/command-facts.ts";

export default class WebhooksGet extends BaseCommand {
  static override summary = "Show one endpoint.";
  static override examples = ["payments webhooks get we_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = { id: idArg(endpointResource) };
  static override flags = readFlags(endpointResource);
  static facts = describeReading({ object: "webhook_endpoint", fields: endpointResource.fields });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksGet);
    const output = this.parseOutput(flags, endpointResource);
    const id = checkId(endpointResource, args.id, "<id>");
    const endpoint = await withReader(this, flags, async (client) =>
      client.webhookEndpoints.retrieve(id),
    );
    await this.showOne(endpointResource, endpoint, output);
  }
}
