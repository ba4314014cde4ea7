import { maxPageSize } from "../../../contract/field-values.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { readFlags } from "../../flags/flags.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { withReader } from "../../program/connection.ts";
import { describeReading, listOutput } from "../../output/command-facts.ts";

export default class WebhooksList extends BaseCommand {
  static override summary = "List the endpoints, newest first.";
  static override examples = [
    "payments webhooks list",
    "payments webhooks list --json | jq -r '.data[] | select(.status == \"disabled\").url'",
  ];
  static override flags = readFlags(endpointResource);
  static facts = describeReading({
    object: "list",
    fields: ["url", "has_more", ...listOutput(endpointResource.fields).fields],
  });

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksList);
    const output = this.parseOutput(flags, endpointResource);
    // A mode allows fewer endpoints than a page holds.
    const list = await withReader(this, flags, async ({ webhookEndpoints }) =>
      webhookEndpoints.list({ limit: maxPageSize }),
    );
    const none = "No endpoints. Make one with payments webhooks create.";
    await this.showMany(endpointResource, list, output, none);
  }
}
