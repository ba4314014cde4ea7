import * as Args from "@oclif/core/args";
import { deliveryStatuses } from "../../../contract/field-values.ts";
import { readFlags, textFlag } from "../../flags/flags.ts";
import { createdFlags, pageFlags, severalFlag, toSeveral } from "../../flags/list-flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import { usageError } from "../../output/command-error.ts";
import { paymentResource } from "../../output/payment-resource.ts";
import {
  deliveriesToAllResource,
  deliveryDetailsResource,
  deliveryResource,
  endpointResource,
  eventResource,
} from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type WriteFlags, withReader } from "../../program/connection.ts";
import { showPages } from "../../program/show-pages.ts";
import { describeReading } from "../../output/command-facts.ts";

const listFlags = {
  payment: textFlag("Those of this payment's events, to every endpoint.", "<id>", {
    exclusive: ["event"],
  }),
  event: textFlag("Those of this event, to every endpoint.", "<id>"),
  status: severalFlag("Only deliveries with this status.", deliveryStatuses),
  ...createdFlags,
  ...pageFlags(deliveryResource),
};

export default class WebhooksDeliveries extends BaseCommand {
  static override summary =
    "List the deliveries to an endpoint, of a payment or of an event, or show one with its tries.";
  static override description =
    "Of one delivery it shows the last 20 tries: when each was, how long it took, and the beginning of the answer. The times of a list are those of the events.";
  static override examples = [
    "payments webhooks deliveries we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks deliveries we_0199c5a8-7f3e-7abc-9def-0123456789ab --status pending,failed --created-gte 24h",
    "payments webhooks deliveries --payment pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks deliveries we_0199c5a8-7f3e-7abc-9def-0123456789ab del_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks deliveries --event evt_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r '.data[].endpoint'",
  ];
  static override args = {
    id: Args.string({
      description: "The id of a webhook endpoint, such as we_0199…, for the deliveries to it.",
      ignoreStdin: true,
    }),
    delivery: Args.string({
      description: "The id of a delivery, such as del_0199…, to show its tries.",
      ignoreStdin: true,
    }),
  };
  static override flags = { ...listFlags, ...readFlags(deliveryDetailsResource) };
  static facts = describeReading("GET /v1/webhook_endpoints/:id/deliveries");

  async run(): Promise<void> {
    const { args, flags, metadata } = await this.parse(WebhooksDeliveries);
    const of = {
      payment: checkId(paymentResource, flags.payment, "--payment"),
      event: checkId(eventResource, flags.event, "--event"),
    };
    const id = checkId(endpointResource, args.id, "<id>");
    const hint = `payments webhooks deliveries ${id} shows the ids.`;
    const delivery = checkId(deliveryResource, args.delivery, "<delivery>", hint);
    if (id !== undefined && delivery !== undefined) {
      const given = Object.keys(listFlags).find(
        (name) => name in flags && !metadata.flags[name]?.setFromDefault && flags[name as "all"],
      );
      if (given) throw usageError(`--${given} is for a list. Leave it out, or the delivery's id.`);
      await this.showDelivery(id, delivery, flags);
      return;
    }
    const status = toSeveral(flags.status);
    const isOfAll = (of.payment ?? of.event) !== undefined;
    if ((id === undefined) !== isOfAll) {
      throw usageError("Give either an endpoint's id, or --payment, or --event. Nothing was sent.");
    }
    await showPages(
      this,
      isOfAll ? deliveriesToAllResource : deliveryResource,
      { flags, metadata, filters: { status } },
      ({ webhookEndpoints, deliveries }, query, total) =>
        id === undefined
          ? deliveries.pages({ ...of, ...query }, total)
          : webhookEndpoints.deliveryPages(id, query, total),
    );
  }

  private async showDelivery(id: string, delivery: string, flags: WriteFlags): Promise<void> {
    const output = this.parseOutput(flags, deliveryDetailsResource);
    const found = await withReader(this, flags, async ({ webhookEndpoints }) =>
      webhookEndpoints.delivery(id, delivery),
    );
    await this.showInWords(deliveryDetailsResource, found, output, async () => {
      const { formatDelivery } = await import("../../output/webhook-text.ts");
      return formatDelivery(found, this.style);
    });
  }
}
