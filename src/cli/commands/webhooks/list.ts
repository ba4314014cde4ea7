import { maxPageSize } from "../../../contract/routes.ts";
import { BaseCommand } from "../../base/base-command.ts";
import { readFlags } from "../../parse/flags.ts";
import { endpointKind } from "../../output/kinds.ts";
import { endpointView } from "../../output/views.ts";

export default class WebhooksList extends BaseCommand {
  static override summary = "List the endpoints, newest first.";
  static override examples = [
    "<%= config.bin %> webhooks list",
    "<%= config.bin %> webhooks list --json | jq -r '.data[] | select(.status == \"disabled\").url'",
  ];
  static override flags = readFlags(endpointKind);

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksList);
    const output = this.outputOf(flags, endpointKind);
    const settings = await this.settings(flags);
    // A mode has fewer of them than a page.
    const list = await this.withClient(flags, settings, async ({ webhookEndpoints }) =>
      webhookEndpoints.list({ limit: maxPageSize }),
    );
    await this.showMany(endpointView, list, output);
    if (list.data.length > 0) return;
    this.note("No endpoints. Make one with payments webhooks create.", output);
  }
}
