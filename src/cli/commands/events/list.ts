import * as Flags from "@oclif/core/flags";
import { eventTypes } from "../../../contract/field-values.ts";
import { readFlags, textFlag } from "../../flags/flags.ts";
import { createdFlags, pageFlags } from "../../flags/list-flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import { eventResource } from "../../output/webhook-resources.ts";
import { paymentResource } from "../../output/payment-resource.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { showPages } from "../../program/show-pages.ts";
import { describeReading } from "../../output/command-facts.ts";

export default class EventsList extends BaseCommand {
  static override summary = "List events, newest first.";
  static override examples = [
    "payments events list --type payment.failed --created-gte 24h",
    "payments events list --payment pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments events list --all -o csv --fields id,type,data.object.id,data.object.amount",
    "payments events list --json | jq -r '.data[].data.object.status'",
  ];
  static override flags = {
    type: Flags.option({ summary: "Only events of this type.", options: eventTypes })(),
    payment: textFlag("Only events of this payment.", "<id>"),
    ...createdFlags,
    ...pageFlags(eventResource),
    ...readFlags(eventResource),
  };
  static facts = describeReading("GET /v1/events");

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(EventsList);
    const filters = {
      type: flags.type,
      payment: checkId(paymentResource, flags.payment, "--payment"),
    };
    await showPages(this, eventResource, { flags, metadata, filters }, ({ events }, query, total) =>
      events.pages(query, total),
    );
  }
}
