import { idArg, writeFlags } from "../../flags/flags.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { changeEndpoint, changeFacts } from "./update.ts";

export default class WebhooksEnable extends BaseCommand {
  static override summary = "Send events to an endpoint again, from now on.";
  static override examples = ["payments webhooks enable we_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = { id: idArg(endpointResource) };
  static override flags = writeFlags(endpointResource);
  static facts = changeFacts;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksEnable);
    await changeEndpoint(this, args.id, { status: "enabled" }, flags);
  }
}
