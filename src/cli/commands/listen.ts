import * as Flags from "@oclif/core/flags";
import { BaseCommand, type Output } from "../base/base-command.ts";
import { ConnectionError, type PaymentsError } from "../../client/errors.ts";
import type { Forwarded, WebhookForwarder } from "../../client/webhook-forwarder.ts";
import type { Event } from "../../contract/event.ts";
import { maxWaitSeconds } from "../../contract/event-values.ts";
import { CommandError } from "../errors/command-error.ts";
import { untilSignal } from "../errors/interruption.ts";
import { connectionFlags, eventsFlag, outputFlags, textFlag, switchFlag } from "../parse/flags.ts";
import { parseDuration } from "../parse/time.ts";
import { parseListenFlags } from "../parse/endpoint-flags.ts";
import { runListener } from "../listen/run-listener.ts";
import { openListener, subscribe } from "../listen/open-listener.ts";
import { toSafeJson } from "../output/safe-text.ts";
import { lockFile, lockFilesOf, type OwnListener } from "../config/listener-store.ts";
import { openKeyring } from "../config/keyring.ts";
import { embedded, describeService, type Settings } from "../config/resolve-settings.ts";

export default class Listen extends BaseCommand {
  static override summary = "Show events as they happen, and forward them.";
  static override description =
    "At its start it shows the events of the last 24 hours that it has missed. Ctrl-C ends it.";
  static override examples = [
    "payments listen",
    "payments listen --forward-to http://localhost:3000/webhooks",
    "payments listen --events payment.failed --json | jq -r .data.object.decline_code",
    "payments listen --print-secret",
  ];
  static override flags = {
    "forward-to": textFlag("Send each event to this address, signed as a webhook is.", "<url>"),
    ...eventsFlag,
    "print-json": switchFlag("Print each event as JSON, too, after its line."),
    since: textFlag("Start with events since this time, such as 1h.", "<time>", {
      exclusive: ["only-new"],
    }),
    "only-new": switchFlag("Skip what happened while it was not running."),
    name: textFlag("A second listener beside the default one, with its own secret.", "<name>", {
      default: "default",
    }),
    "print-secret": switchFlag("Print the secret that signs, and end."),
    json: Flags.boolean({
      ...outputFlags.json,
      summary: "Print each event as JSON, one a line; the same as -o json.",
    }),
    output: Flags.option({
      char: "o",
      summary: "How to print: lines in words, or JSON, an event a line.",
      options: ["table", "json", "ndjson"] as const,
      helpValue: "<format>",
      helpGroup: "OUTPUT",
    })(),
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen);
    const output = this.parseOutput(flags);
    const { forwardTo, events, name, from } = parseListenFlags(flags, Date.now());
    const settings = await this.resolveSettings(flags);
    using ending = untilSignal();
    const { signal } = ending;
    const work = this.withClient(flags, settings, async (client) => {
      const { id: accountId } = await client.account.retrieve({ signal });
      const own = { ...settings, accountId, name };
      const printsSecret = flags["print-secret"];
      using lock = printsSecret ? undefined : lockFile(lockFilesOf(own).listening);
      if (!lock && !printsSecret) throw listenerBusy(own);
      const options = { events, keyring: openKeyring(process.env), signal };
      const { endpoint, secret, change } = await openListener(client, own, options);
      if (change !== undefined) this.note(change, output);
      if (printsSecret) {
        await this.show({ value: { secret }, text: () => secret }, output);
        return;
      }
      await subscribe(client, endpoint, events, signal);
      await client.listeners.start(endpoint.id, from, { signal });
      if (this.isHumanOutput(output)) {
        const { formatListening } = await import("../output/event-line.ts");
        const source = `${describeService(settings)}, ${settings.mode} mode`;
        this.note(formatListening({ events, forwardTo, secret, source }, this.errorStyle), output);
      }
      let forwarder: WebhookForwarder | undefined;
      if (forwardTo) {
        const { createWebhookForwarder } = await import("../../client/webhook-forwarder.ts");
        forwarder = createWebhookForwarder(forwardTo, { secret, version: this.config.version });
      }
      const listening = {
        endpointId: endpoint.id,
        events,
        waitSeconds: toWaitSeconds(settings, flags["request-timeout"]),
        forwarder,
        show: await this.createEventWriter(output, flags["print-json"]),
        connection: {
          lost: (why: PaymentsError) => {
            const isUnreachable = why instanceof ConnectionError;
            const how = isUnreachable ? "cannot be reached" : "does not answer as it should";
            this.note(`The service ${how}; trying again.`, output);
          },
          back: () => this.note("The service is back.", output),
        },
      };
      await runListener(client, listening, signal).finally(async () => forwarder?.close());
    });
    await work.catch((error: unknown) => {
      if (!signal.aborted) throw error; // a signal is how this command normally ends
    });
  }

  /** Writes each event as a line: in words, or as JSON. */
  private async createEventWriter({ format }: Output, printsJson: boolean): Promise<EventWriter> {
    if (format !== "table") {
      return async (event) => this.write(`${toSafeJson(event, { indented: false })}\n`);
    }
    const { formatEventLine } = await import("../output/event-line.ts");
    const indented = process.stdout.isTTY;
    return async (event, forwarded) => {
      const text = formatEventLine(event, forwarded, { style: this.style, width: this.width });
      await this.write(`${text}\n${printsJson ? `${toSafeJson(event, { indented })}\n` : ""}`);
    };
  }
}

type EventWriter = (event: Event, forwarded: Forwarded | undefined) => Promise<void>;

/** Short, since the embedded service settles payments and delivers only while a request runs. */
const embeddedWaitSeconds = 0.25;

/** Computes how long the service may wait for an event and still respond before the timeout. */
function toWaitSeconds({ baseUrl }: Settings, requestTimeout: string): number {
  if (baseUrl === embedded) return embeddedWaitSeconds;
  const timeoutSeconds = parseDuration(requestTimeout, "--request-timeout") / 1000;
  return Math.min(maxWaitSeconds, timeoutSeconds * 0.8);
}

function listenerBusy({ name, mode }: OwnListener): CommandError {
  return new CommandError(
    "conflict",
    `The listener “${name}” of this service is already running here, in ${mode} mode.`,
    "To run a second listener, which receives every event too, give it another --name.",
  );
}
