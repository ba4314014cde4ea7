import { textFlag, writeFlags } from "../../flags/flags.ts";
import { endpointFlags, parseEndpointRequest } from "./update.ts";
import { issuedEndpointResource } from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { noteSender, withWriter } from "../../program/connection.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";

export default class WebhooksCreate extends BaseCommand {
  static override summary = "Create an endpoint. Its secret is shown only once.";
  static override description =
    "Without --events the endpoint receives all events, future types included.";
  static override examples = [
    "payments webhooks create --url https://shop.example/hooks",
    "payments webhooks create --url https://shop.example/hooks --events payment.failed,payment.refunded",
    "payments webhooks create --url https://shop.example/hooks --json | jq -r .secret",
  ];
  static override flags = {
    url: textFlag("Where events are sent: https, in test mode also http.", "<url>", {
      required: true,
    }),
    ...endpointFlags,
    ...writeFlags(issuedEndpointResource),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: { with: "idempotency-key" },
    exits: writeExits,
    output: "POST /v1/webhook_endpoints",
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksCreate);
    const output = this.parseOutput(flags, issuedEndpointResource);
    const body = { ...parseEndpointRequest(flags), url: flags.url };
    const endpoint = await withWriter(
      this,
      { flags, output },
      async ({ webhookEndpoints }, write) => webhookEndpoints.create(body, write),
    );
    const { id } = endpoint;
    const done = `The endpoint ${id} was created. Create a new secret: payments webhooks roll ${id}${this.target}`;
    await this.showOne(issuedEndpointResource, endpoint, output, done);
    this.note("Store the secret now: it is not shown again.", output);
    noteSender(this, output);
  }
}
