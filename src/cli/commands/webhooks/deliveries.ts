import { idArg, pageFlags, readFlags } from "../../parse/flags.ts";
import { checkId } from "../../parse/checked-values.ts";
import { deliveryResource, endpointResource } from "../../output/webhook-resources.ts";
import { ListCommand } from "../../base/list-command.ts";

export default class WebhooksDeliveries extends ListCommand {
  static override summary =
    "List the deliveries to an endpoint, newest first, those that wait included.";
  static override examples = [
    "payments webhooks deliveries we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks deliveries we_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r '.data[].last_error'",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = {
    ...pageFlags(deliveryResource),
    ...readFlags(deliveryResource),
  };

  async run(): Promise<void> {
    const { args, flags, metadata } = await this.parse(WebhooksDeliveries);
    const id = checkId(endpointResource, args.id, "<id>");
    await this.showPages(
      deliveryResource,
      { flags, metadata, filters: {} },
      ({ webhookEndpoints }, query, total) => webhookEndpoints.deliveryPages(id, query, total),
    );
  }
}
