import { idArg, textFlag, writeFlags } from "../../flags/flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import {
  deliveryResource,
  endpointResource,
  eventResource,
} from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { noteSender, withWriter } from "../../program/connection.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";

export default class EventsResend extends BaseCommand {
  static override summary = "Send an event again, to one endpoint or to all that are enabled.";
  static override examples = [
    "payments events resend evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments events resend evt_0199c5a8-7f3e-7abc-9def-0123456789ab --endpoint we_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override args = { id: idArg(eventResource) };
  static override flags = {
    endpoint: textFlag("Only to this endpoint, whatever it is subscribed to.", "<id>"),
    ...writeFlags(deliveryResource),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: { with: "idempotency-key" },
    exits: writeExits,
    output: "POST /v1/events/:id/resend",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventsResend);
    const output = this.parseOutput(flags, deliveryResource);
    const id = checkId(eventResource, args.id, "<id>");
    const endpoint = checkId(endpointResource, flags.endpoint, "--endpoint");
    const queued = await withWriter(this, { flags, output }, async ({ events }, write) =>
      events.resend(id, endpoint === undefined ? {} : { endpoint }, write),
    );
    await this.showMany(deliveryResource, queued, output);
    if (queued.data.length > 0) noteSender(this, output);
    else
      this.note("Nothing was queued: no endpoint is enabled. See payments webhooks list.", output);
  }
}
