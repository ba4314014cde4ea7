import { BaseCommand, type Output } from "../../program/base-command.ts";
import { describeService } from "../../config/resolve-settings.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import { throwUnlessCtrlC, untilSignal } from "../../output/interruption.ts";
import { followRequests } from "../../listen/follow-requests.ts";
import { noteConnection } from "../../listen/reconnecting-caller.ts";
import { toSafeJson } from "../../../runtime/text.ts";
import { connectionFlags, lineOutputFlags } from "../../flags/flags.ts";
import { parseStatuses, statusesFlag } from "../../flags/list-flags.ts";
import { resolveSafeSettings, withClient } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

export default class LogsTail extends BaseCommand {
  static override summary = "Show requests as they are logged.";
  static override description = "From now on, each once, one line each. Ctrl-C ends it.";
  static override examples = [
    "payments logs tail",
    "payments logs tail --status 4xx,5xx --json | jq -r .error.code",
  ];
  static override flags = { ...statusesFlag, ...lineOutputFlags("request"), ...connectionFlags };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: { ...readExits, done: "ended by Ctrl-C, or by a reader that has left" },
    output: "GET /v1/requests/:id",
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(LogsTail);
    const output = this.parseOutput(flags);
    this.endWithReader();
    const status = parseStatuses(flags.status);
    const settings = await resolveSafeSettings(this, flags);
    using ending = untilSignal();
    const { signal } = ending;
    const following = {
      status,
      show: await this.createRequestWriter(output),
      onStarted: () =>
        this.note(`Requests of ${describeService(settings)}, ${settings.mode} mode.`, output),
      onSkipped: () =>
        this.note(
          "Older requests are not shown, since too many came at once. See payments logs list.",
          output,
        ),
      connection: noteConnection((text) => this.note(text, output)),
    };
    await withClient(this, flags, settings, async (client) =>
      followRequests(client, following, signal),
    ).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    throwUnlessCtrlC(signal);
  }

  /** Writes each request as a line: in words, or as JSON. */
  private async createRequestWriter(output: Output) {
    if (output.format !== "table") {
      return async (request: LoggedRequest) =>
        this.write(`${toSafeJson(request, { indented: false })}\n`);
    }
    const { formatRequestLine } = await import("../../output/request-resource.ts");
    return async (request: LoggedRequest) =>
      this.write(`${formatRequestLine(request, this.style)}\n`);
  }
}
