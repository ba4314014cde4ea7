import { CommandError } from "../../output/command-error.ts";
import { idArg, writeFlags } from "../../flags/flags.ts";
import { checkId } from "../../flags/checked-values.ts";
import {
  describeTestFailure,
  endpointResource,
  testResource,
} from "../../output/webhook-resources.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withWriter } from "../../program/connection.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";

export default class WebhooksTest extends BaseCommand {
  static override summary = "Send a test event to an endpoint, and show its answer.";
  static override description =
    "The event is of type webhook.test, signed, sent once and not stored. A disabled endpoint gets it as well. Exit code 0 means that the endpoint answered with a 2xx status, 3 that it did not.";
  static override examples = [
    "payments webhooks test we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments webhooks test we_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq .status",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = writeFlags(testResource);
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: { with: "idempotency-key" },
    exits: { ...writeExits, not_as_expected: "the endpoint did not accept the test" },
    output: "POST /v1/webhook_endpoints/:id/test",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksTest);
    const output = this.parseOutput(flags, testResource);
    const id = checkId(endpointResource, args.id, "<id>");
    const test = await withWriter(this, { flags, output }, async ({ webhookEndpoints }, write) =>
      webhookEndpoints.test(id, write),
    );
    await this.showInWords(testResource, test, output, async () => {
      const { formatTest } = await import("../../output/webhook-text.ts");
      return formatTest(test, this.style);
    });
    const failure = describeTestFailure(test);
    if (failure !== undefined) {
      throw new CommandError(
        "not_as_expected",
        failure,
        "Correct the endpoint, and test it again.",
      );
    }
  }
}
