import * as Flags from "@oclif/core/flags";
import { BaseCommand, type Output } from "../base/base-command.ts";
import { ConnectionError, type PaymentsError } from "../../client/errors.ts";
import type { Forwarded } from "../../client/webhook-forwarder.ts";
import type { Event } from "../../contract/event.ts";
import { maxWaitSeconds } from "../../contract/event-values.ts";
import { CommandError } from "../errors/command-error.ts";
import { untilSignal } from "../errors/interruption.ts";
import { connectionFlags, eventsFlag, outputFlags } from "../parse/flags.ts";
import { parseDuration } from "../parse/duration.ts";
import { parseListenFlags } from "../parse/listening.ts";
import { runListener } from "../listen/listen-on.ts";
import { openListener, subscribe } from "../listen/own-listener.ts";
import { toSafeJson } from "../output/safe-text.ts";
import { lockFile } from "../config/lock-file.ts";
import { openKeyring } from "../config/keyring.ts";
import { embedded, describeService, type Settings } from "../config/resolve-settings.ts";
import { lockFilesOf, type OwnListener } from "../config/listener-store.ts";

export default class Listen extends BaseCommand {
  static override summary = "Show events as they happen, and forward them.";
  static override description =
    "What happens while it is not running, within 24 hours, comes when it is back. Ctrl-C ends it.";
  static override examples = [
    "<%= config.bin %> listen",
    "<%= config.bin %> listen --forward-to http://localhost:3000/webhooks",
    "<%= config.bin %> listen --events payment.failed --json | jq -r .data.object.decline_code",
    "<%= config.bin %> listen --print-secret",
  ];
  static override flags = {
    "forward-to": Flags.string({
      summary: "Send each event to this address, signed as a webhook is.",
      helpValue: "<url>",
    }),
    ...eventsFlag,
    "print-json": Flags.boolean({ summary: "Print each event as JSON, too, after its line." }),
    since: Flags.string({
      summary: "Begin with what has happened since this time, such as 1h.",
      helpValue: "<time>",
      exclusive: ["only-new"],
    }),
    "only-new": Flags.boolean({ summary: "Forget what happened while it was not running." }),
    name: Flags.string({
      summary: "Another listener beside the first, with a secret of its own.",
      default: "default",
      helpValue: "<name>",
    }),
    "print-secret": Flags.boolean({ summary: "Print the secret that signs, and end." }),
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
    using told = untilSignal();
    const { signal } = told;
    const work = this.withClient(flags, settings, async (client) => {
      const { id: accountId } = await client.account.retrieve({ signal });
      const own = { ...settings, accountId, name };
      const printsSecret = flags["print-secret"];
      using held = printsSecret ? undefined : lockFile(lockFilesOf(own).listening);
      if (!held && !printsSecret) throw alreadyListening(own);
      const means = { events, keyring: openKeyring(process.env), signal };
      const { endpoint, secret, change } = await openListener(client, own, means);
      if (change !== undefined) this.note(change, output);
      if (printsSecret) {
        await this.show({ value: { secret }, text: () => secret }, output);
        return;
      }
      await subscribe(client, endpoint, events, signal);
      await client.listeners.start(endpoint.id, from, { signal });
      await this.noteStart({ settings, events, forwardTo, secret }, output);
      const { version } = this.config;
      const forwarder = forwardTo && (await forwarderTo(forwardTo, { secret, version }));
      const listening = {
        endpointId: endpoint.id,
        events,
        waitSeconds: waitSeconds(settings, flags["request-timeout"]),
        forwarder,
        show: await this.eventWriter(output, flags["print-json"]),
        news: {
          lost: (why: PaymentsError) => this.note(lostText(why), output),
          back: () => this.note("The service is back.", output),
        },
      };
      await runListener(client, listening, signal).finally(async () => forwarder?.close());
    });
    await work.catch((error: unknown) => {
      if (!signal.aborted) throw error; // to be told to end is no failure here
    });
  }

  private async noteStart({ settings, ...started }: Start, output: Output): Promise<void> {
    if (!this.isHumanOutput(output)) return;
    const { formatListening } = await import("../output/event-line.ts");
    const place = `${describeService(settings)}, ${settings.mode} mode`;
    this.note(formatListening({ ...started, place }, this.errorStyle), output);
  }

  /** Writes each event as a line: in words, or as JSON. */
  private async eventWriter({ format }: Output, printsJson: boolean): Promise<EventWriter> {
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
type Start = {
  settings: Settings;
  events: readonly string[];
  forwardTo: URL | undefined;
  secret: string;
};

/** What waits at the embedded service is settled, and seen, only while it is asked. */
const embeddedWaitSeconds = 0.25;

/** How long a service may wait for an event, so that its answer comes in time. */
function waitSeconds({ baseUrl }: Settings, requestTimeout: string): number {
  if (baseUrl === embedded) return embeddedWaitSeconds;
  const timeoutSeconds = parseDuration(requestTimeout, "--request-timeout") / 1000;
  return Math.min(maxWaitSeconds, timeoutSeconds * 0.8);
}

async function forwarderTo(url: URL, signing: { secret: string; version: string }) {
  const { createWebhookForwarder } = await import("../../client/webhook-forwarder.ts");
  return createWebhookForwarder(url, signing);
}

function lostText(why: PaymentsError): string {
  const isUnreachable = why instanceof ConnectionError;
  const how = isUnreachable ? "cannot be reached" : "does not answer as it should";
  return `The service ${how}; trying again.`;
}

function alreadyListening({ name, mode }: OwnListener): CommandError {
  return new CommandError(
    "conflict",
    `The listener “${name}” of this service is already running here, in ${mode} mode.`,
    "To run a second listener, which gets every event too, give it another --name.",
  );
}
