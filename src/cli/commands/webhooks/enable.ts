import { idArg, writeFlags } from "../../flags/flags.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { WriteCommand } from "../../base/write-command.ts";

export default class WebhooksEnable extends WriteCommand {
  static override summary = "Send events to an endpoint again, from now on.";
  static override examples = ["payments webhooks enable we_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = { id: idArg(endpointResource) };
  static override flags = writeFlags(endpointResource);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksEnable);
    await this.changeEndpoint(args.id, { status: "enabled" }, flags);
  }
}
