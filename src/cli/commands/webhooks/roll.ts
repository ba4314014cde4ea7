import { maxOverlapHours } from "../../../contract/field-values.ts";
import { usageError } from "../../output/command-error.ts";
import { checkId } from "../../flags/checked-values.ts";
import { parseDuration } from "../../flags/waiting.ts";
import { idArg, textFlag, writeFlags } from "../../flags/flags.ts";
import { endpointResource, issuedEndpointResource } from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withWriter } from "../../program/connection.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";

export default class WebhooksRoll extends BaseCommand {
  static override summary =
    "Create a new secret for an endpoint. Until the old one expires, both sign.";
  static override examples = [
    "payments webhooks roll we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks roll we_0199c5a8-7f3e-7abc-9def-0123456789ab --overlap 0h",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = {
    overlap: textFlag(
      "How long the old secret signs as well: whole hours, at most 168h; 0h ends it at once.",
      "<duration>",
      { default: "24h" },
    ),
    ...writeFlags(issuedEndpointResource),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: { with: "idempotency-key" },
    exits: writeExits,
    output: "POST /v1/webhook_endpoints/:id/roll",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRoll);
    const output = this.parseOutput(flags, issuedEndpointResource);
    const id = checkId(endpointResource, args.id, "<id>");
    const hours = parseOverlapHours(flags.overlap);
    const endpoint = await withWriter(
      this,
      { flags, output },
      async ({ webhookEndpoints }, write) =>
        webhookEndpoints.roll(id, { overlap_hours: hours }, write),
    );
    const done = `The endpoint ${id} has a new secret. Make another one: payments webhooks roll ${id}${this.target}`;
    await this.showOne(issuedEndpointResource, endpoint, output, done);
    this.note("Store the secret now: it is not shown again.", output);
    const rest = `The old secret signs as well for another ${flags.overlap}.`;
    this.note(hours === 0 ? "The old secret no longer signs." : rest, output);
  }
}

const hourMs = 3_600_000;

/** Parses the number of hours for which the old secret still signs besides the new one. */
export function parseOverlapHours(text: string): number {
  const hours = parseDuration(text, "--overlap") / hourMs;
  if (Number.isInteger(hours) && hours <= maxOverlapHours) return hours;
  throw usageError(`--overlap must be whole hours, from 0h to ${maxOverlapHours}h.`);
}
