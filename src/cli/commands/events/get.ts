import { BaseCommand } from "../../program/base-command.ts";
import { idArg, readFlags } from "../../flags/flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import { eventResource } from "../../output/webhook-resources.ts";
import { withReader } from "../../program/connection.ts";
import { describeReading } from "../../output/command-facts.ts";

export default class EventsGet extends BaseCommand {
  static override summary = "Show one event, with its payment as it was then.";
  static override examples = [
    "payments events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq .data.object",
  ];
  static override args = { id: idArg(eventResource) };
  static override flags = readFlags(eventResource);
  static facts = describeReading("GET /v1/events/:id");

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventsGet);
    const output = this.parseOutput(flags, eventResource);
    const id = checkId(eventResource, args.id, "<id>");
    const event = await withReader(this, flags, async ({ events }) => events.retrieve(id));
    await this.showOne(eventResource, event, output);
  }
}
