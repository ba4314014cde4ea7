import { BaseCommand, type Output } from "../program/base-command.ts";
import type { Forwarded } from "../../client/webhook-forwarder.ts";
import type { Event } from "../../contract/event.ts";
import { maxWaitSeconds } from "../../contract/field-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { CommandError } from "../output/command-error.ts";
import { untilSignal, watchInterruption } from "../output/interruption.ts";
import { connectionFlags, lineOutputFlags } from "../flags/flags.ts";
import { parseDuration } from "../flags/waiting.ts";
import { listenFlags, parseListenFlags, type Forwarding } from "../listen/listen-flags.ts";
import { awaitEvent, runListener } from "../listen/run-listener.ts";
import { noteConnection } from "../listen/reconnecting-caller.ts";
import {
  type OwnListener,
  findOwnListener,
  lockFile,
  lockFilesOf,
  openListener,
  subscribe,
} from "../listen/open-listener.ts";
import { toSafeJson } from "../../runtime/text.ts";
import { resolveKey } from "../config/connect.ts";
import { openKeyring } from "../config/keyring.ts";
import { embedded } from "../config/profile.ts";
import {
  type Settings,
  assertSafeForwarding,
  describeService,
} from "../config/resolve-settings.ts";
import {
  type EnvFile,
  claimEnvFile,
  deleteEnvFile,
  writeEnvFile,
} from "../config/write-env-file.ts";
import { resolveSafeSettings, withClient } from "../program/connection.ts";
import { type CommandFacts, writeExits } from "../output/command-facts.ts";

export default class Listen extends BaseCommand {
  static override summary = "Show events as they happen, and forward them.";
  static override description =
    "At its start it shows the events of the last 24 hours that it has missed. Ctrl-C ends it.";
  static override examples = [
    "payments listen",
    "payments listen --forward-to http://localhost:3000/webhooks",
    "payments listen --forward-to http://localhost:3000 --route payment.failed=/failed --route '*=/webhooks'",
    "payments listen --events payment.failed --json | jq -r .data.object.decline_code",
    "payments listen --forward-to http://localhost:3000/webhooks --until payment.refunded --timeout 2m",
    "payments listen --print-secret",
  ];
  static override flags = {
    ...listenFlags,
    ...lineOutputFlags("event"),
    ...connectionFlags,
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: {
      ...writeExits,
      done: "ended by a signal (Ctrl-C, SIGTERM or SIGHUP), or --until or --print-secret is done",
      conflict: "a listener of this name is already running",
      still_pending: "no such event came within --timeout (--until)",
    },
    signals: "before it listened, or with --until",
    output: "GET /v1/events/:id",
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen);
    const output = this.parseOutput(flags);
    const { forward, events, name, until } = parseListenFlags(flags, Date.now());
    const envPath = flags["write-env"];
    const envFile = envPath === undefined ? undefined : claimEnvFile(envPath, "listen");
    if (!until) this.endWithReader();
    const settings = await resolveSafeSettings(this, flags);
    for (const url of forward?.routes.values() ?? []) {
      assertSafeForwarding(url, settings, flags, process.env);
    }
    // An assertion that is interrupted has not held; listening without one normally ends by a signal.
    using ending = until ? watchInterruption({ hasPrompted: false }) : untilSignal();
    const { signal } = ending;
    const work = withClient(this, flags, settings, async (client) => {
      const { id, permissions } = await client.account.retrieve({ signal });
      const mayRead = permissions?.includes("read") ?? true;
      const startMs = this.serviceTime.nowMs();
      const { from } = parseListenFlags(flags, startMs);
      const own = findOwnListener(settings, id, name);
      const printsSecret = flags["print-secret"];
      using lock = printsSecret ? undefined : lockFile(lockFilesOf(own).listening);
      if (!lock && !printsSecret) throw listenerBusy(own);
      const options = { events, keyring: openKeyring(process.env), mayRead, signal };
      const { endpoint, secret, change } = await openListener(client, own, options);
      if (change !== undefined) this.note(change, output);
      if (printsSecret) {
        await this.show({ value: { secret }, text: () => secret }, output);
        return;
      }
      const startListener = async (opened: WebhookEndpoint, start: typeof from) => {
        await subscribe(client, opened, events, signal);
        await client.listeners.start(opened.id, start, { signal });
      };
      await startListener(endpoint, from);
      if (envFile) await this.writeVariables(envFile, { settings, secret, output });
      if (this.isHumanOutput(output)) {
        const { formatListening } = await import("../output/webhook-text.ts");
        const source = `${describeService(settings)}, ${settings.mode} mode`;
        const listening = { events, routes: forward?.routes, secret, source };
        this.note(formatListening(listening, this.errorStyle), output);
      }
      const isLive = settings.mode === "live";
      const safety = { isLive, allowHttp: flags["allow-http"] };
      const forwarder = forward && (await this.createForwarder(forward, { secret, ...safety }));
      using wait = awaitEvent(until);
      const listening = {
        endpointId: endpoint.id,
        reopen: async () => {
          const opened = await openListener(client, own, options);
          // In a sandbox that was reset everything is new; its time may have gone back.
          const startSeconds = this.seen.isSandbox ? 0 : Math.floor(startMs / 1000);
          const since = Math.min(startSeconds, from.since ?? startSeconds);
          await startListener(opened.endpoint, { since });
          if (opened.change !== undefined) this.note(opened.change, output);
          return { endpointId: opened.endpoint.id, startsOver: this.seen.isSandbox };
        },
        events,
        waitSeconds: toWaitSeconds(settings, flags["request-timeout"]),
        leaseSeconds: forward?.leaseSeconds,
        forwarder,
        mayRead,
        show: await this.createEventWriter(output, flags),
        onReported: wait.see,
        connection: noteConnection((text) => this.note(text, output)),
      };
      const ended = AbortSignal.any([signal, wait.signal]);
      await runListener(client, listening, ended).finally(async () => forwarder?.close());
      if (!signal.aborted) wait.assertCame();
    });
    await work
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => envFile && deleteEnvFile(envFile));
    if (until) signal.throwIfAborted();
  }

  /** A live key is in no file that a program in development reads. */
  private async writeVariables(envFile: EnvFile, { settings, secret, output }: Opened) {
    const { baseUrl, mode } = settings;
    const isLive = mode === "live";
    const key = isLive ? undefined : (await resolveKey(settings))?.value();
    writeEnvFile(envFile, {
      PAYMENTS_BASE_URL: baseUrl,
      PAYMENTS_MODE: mode,
      ...(key !== undefined && { PAYMENTS_API_KEY: key }),
      PAYMENTS_WEBHOOK_SECRET: secret,
    });
    if (isLive) this.note("The file has no PAYMENTS_API_KEY: a live key is never written.", output);
  }

  private async createForwarder({ routes, ...forward }: Forwarding, signing: Signing) {
    const { createWebhookForwarder } = await import("../../client/webhook-forwarder.ts");
    const { version } = this.config;
    const { signingMs: nowMs } = this.serviceTime;
    return createWebhookForwarder(routes, { ...forward, nowMs, ...signing, version });
  }

  /** Writes each event as a line: in words, or as JSON. */
  private async createEventWriter(output: Output, prints: Printing): Promise<EventWriter> {
    const isTable = output.format === "table";
    const needsText = isTable || prints["print-response"];
    const text = needsText ? await import("../output/webhook-text.ts") : undefined;
    const layout = { style: this.style, width: this.width };
    const indented = isTable && process.stdout.isTTY;
    return async (event, forwarded) => {
      const line = isTable ? text?.formatEventLine(event, forwarded, layout) : undefined;
      const json = isTable && !prints["print-json"] ? undefined : toSafeJson(event, { indented });
      const response = prints["print-response"] ? text?.formatResponse(forwarded) : undefined;
      const lines = [line, json, isTable ? response : undefined].filter(
        (each) => each !== undefined,
      );
      await this.write(lines.map((each) => `${each}\n`).join(""));
      // Beside JSON it would be no JSON.
      if (!isTable && response !== undefined) process.stderr.write(`${response}\n`);
    };
  }
}

type Opened = { settings: Settings; secret: string; output: Output };
type Signing = { secret: string; isLive: boolean; allowHttp: boolean };
type Printing = { "print-json": boolean; "print-response": boolean };
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
