import { sandboxRequestView } from "../../output/account-views.ts";
import { sandboxFlags } from "../../flags/flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { describeReading, listOutput } from "../../output/command-facts.ts";

export default class SandboxRequests extends BaseCommand {
  static override summary = "List the last 1,000 requests of the account, the oldest first.";
  static override examples = [
    "payments sandbox requests",
    "payments sandbox requests --json | jq '.data[] | select(.replayed)'",
  ];
  static override flags = sandboxFlags();
  static facts = describeReading(listOutput(sandboxRequestView.fields));

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxRequests);
    const output = this.parseOutput(flags);
    const requests = await withSandbox(this, flags, async (sandbox) => sandbox.requests());
    await this.showMany(sandboxRequestView, requests, output, "No request has come yet.");
  }
}
