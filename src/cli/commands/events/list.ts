import * as Flags from "@oclif/core/flags";
import { eventTypes } from "../../../contract/event-values.ts";
import { createdFlags, pageFlags, readFlags } from "../../parse/flags.ts";
import { checkId } from "../../parse/checked-values.ts";
import { eventKind, paymentKind } from "../../output/kinds.ts";
import { parseCreatedRange, parseCursors, parseLimit } from "../../parse/list-query.ts";
import { ListCommand } from "../../base/list-command.ts";
import { eventView } from "../../output/views.ts";

export default class EventsList extends ListCommand {
  static override summary = "List events, newest first.";
  static override examples = [
    "<%= config.bin %> events list --type payment.failed --created-gte 24h",
    "<%= config.bin %> events list --payment pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "<%= config.bin %> events list --all -o csv --fields id,type,data.object.id,data.object.amount",
    "<%= config.bin %> events list --json | jq -r '.data[].data.object.status'",
  ];
  static override flags = {
    type: Flags.option({ summary: "Only events of this type.", options: eventTypes })(),
    payment: Flags.string({ summary: "Only events of this payment.", helpValue: "<id>" }),
    ...createdFlags,
    ...pageFlags(eventKind),
    ...readFlags(eventKind),
  };

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(EventsList);
    const total = parseLimit(flags, metadata);
    const output = this.outputOf(flags, eventKind);
    const query = {
      type: flags.type,
      payment: checkId(paymentKind, flags.payment, "--payment"),
      ...parseCursors(flags, eventKind),
      ...parseCreatedRange(flags, Date.now()),
    };
    const settings = await this.settings(flags);
    await this.withClient(flags, settings, async ({ events }) =>
      this.showPages(eventView, events.pages(query, total), query, output),
    );
  }
}
