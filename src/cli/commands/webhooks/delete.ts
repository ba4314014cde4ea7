import { BaseCommand } from "../../program/base-command.ts";
import { usageError } from "../../output/command-error.ts";
import { connectionFlags, idArg, outputFlags, yesFlag } from "../../flags/flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import { endpointResource } from "../../output/webhook-resources.ts";
import { canceled } from "../../prompts/prompter.ts";
import { noteTarget, resolveSafeSettings, withClient } from "../../program/connection.ts";
import { type CommandFacts, readExits, promptExits } from "../../output/command-facts.ts";

export default class WebhooksDelete extends BaseCommand {
  static override summary = "Delete an endpoint. Deliveries that wait for it are not sent.";
  static override examples = [
    "payments webhooks delete we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks delete we_0199c5a8-7f3e-7abc-9def-0123456789ab --yes",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = { ...yesFlag, ...outputFlags, ...connectionFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { ...readExits, ...promptExits },
    output: "DELETE /v1/webhook_endpoints/:id",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDelete);
    const output = this.parseOutput(flags);
    const id = checkId(endpointResource, args.id, "<id>");
    if (!flags.yes && !this.canPrompt(flags, output)) {
      throw usageError(
        "Deleting an endpoint needs --yes where it cannot be confirmed at a prompt. Nothing was deleted.",
      );
    }
    const settings = await resolveSafeSettings(this, flags);
    const deleted = await withClient(this, flags, settings, async ({ webhookEndpoints }) => {
      const endpoint = await webhookEndpoints.retrieve(id);
      if (this.isHumanOutput(output)) {
        const { formatItem } = await import("../../output/resource-text.ts");
        this.note(`${formatItem(endpointResource, endpoint, this.errorStyle)}\n`);
      }
      noteTarget(this, settings, output);
      const place = settings.mode === "live" && this.place ? ` in ${this.place.text}` : "";
      const question = `Delete this endpoint${place}?`;
      if (!flags.yes && !(await (await this.openPrompter()).confirm(question))) {
        throw canceled("Canceled; nothing was deleted.");
      }
      return await webhookEndpoints.delete(id);
    });
    await this.show({ value: deleted, text: () => `Deleted ${id}.` }, output);
  }
}
