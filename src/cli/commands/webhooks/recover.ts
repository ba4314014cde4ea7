import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../../client/client.ts";
import { PaymentsError } from "../../../client/errors.ts";
import type { WriteOptions } from "../../../client/request.ts";
import type { Delivery, Recovery } from "../../../contract/delivery.ts";
import { maxTimerMs } from "../../../runtime/promises.ts";
import { computeBackoff, isRelativeTime, timeForms } from "../../../runtime/time.ts";
import { checkId } from "../../flags/checked-values.ts";
import { idArg, switchFlag, textFlag, writeFlags } from "../../flags/flags.ts";
import { parseTime } from "../../flags/list-flags.ts";
import { parseDuration } from "../../flags/waiting.ts";
import {
  type ConnectionState,
  createReconnectingCaller,
  noteConnection,
} from "../../listen/reconnecting-caller.ts";
import { CommandError, UnclearWrite, usageError } from "../../output/command-error.ts";
import { type CommandFacts, writeExits } from "../../output/command-facts.ts";
import { Interruption } from "../../output/interruption.ts";
import { formatCount, formatLocalTime, formatMany } from "../../output/style.ts";
import { endpointResource, recoveryResource } from "../../output/webhook-resources.ts";
import { showProgress } from "../../output/write-output.ts";
import { BaseCommand, type Output } from "../../program/base-command.ts";
import { noteSender, parseAges, withWriter } from "../../program/connection.ts";

/** Leaves room for a number: a key has at most 255 characters. */
const maxKeyStart = 245;

export default class WebhooksRecover extends BaseCommand {
  static override summary =
    "Send an endpoint the events that it missed, and wait until it has them.";
  static override description =
    "It sends again, in order, what failed for good, and what was not queued because the endpoint was disabled. What was delivered, or still waits for an attempt, is left alone. Exit code 3 means that some failed again, 8 that --timeout ended before all were tried.";
  static override examples = [
    "payments webhooks recover we_0199c5a8-7f3e-7abc-9def-0123456789ab --since 24h",
    "payments webhooks recover we_0199c5a8-7f3e-7abc-9def-0123456789ab --since 2026-11-20 --no-wait --json",
  ];
  static override args = { id: idArg(endpointResource) };
  static override flags = {
    since: textFlag(`Events from this time on: ${timeForms}.`, "<time>", { required: true }),
    wait: switchFlag("Wait until each event was sent; --no-wait only queues them.", {
      default: true,
      allowNo: true,
    }),
    timeout: textFlag("How long to wait; without it until each was sent.", "<duration>"),
    ...writeFlags(recoveryResource),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: { with: "idempotency-key" },
    exits: {
      ...writeExits,
      not_as_expected: "the endpoint refused some of the events",
      still_pending: "some were not sent when --timeout ended",
    },
    output: "POST /v1/webhook_endpoints/:id/recover",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRecover);
    const output = this.parseOutput(flags, recoveryResource);
    const id = checkId(endpointResource, args.id, "<id>");
    const parseSince = (nowMs: number) => parseTime(flags.since, "--since", nowMs);
    const checked = parseSince(Date.now());
    if (isRelativeTime(flags.since) && flags["idempotency-key"] !== undefined) {
      throw usageError(
        "--since is another time at each run, but an idempotency key belongs to one.",
        `Give the time: ${toFlag(checked)}`,
      );
    }
    const { timeout } = flags;
    if (timeout !== undefined && !flags.wait) {
      throw usageError("--timeout and --no-wait contradict each other. Give one of them.");
    }
    const timeoutMs = timeout === undefined ? timeout : parseDuration(timeout, "--timeout");
    await withWriter(this, { flags, output }, async (client, write) => {
      const since = await parseAges(this, client, [flags.since], parseSince);
      const waits = flags.wait && !this.seen.isEmbedded;
      const untilSent = waits
        ? await watchRecovery(client, { endpointId: id, since }, write.signal)
        : undefined;
      const recovery = await this.queueMissed(client, { id, since }, write, output).catch(
        (error: unknown) => {
          const isUnclear = error instanceof PaymentsError && error.outcomeUnknown;
          throw isUnclear && isRelativeTime(flags.since)
            ? new UnclearWrite(error, toFlag(since))
            : error;
        },
      );
      const { queued } = recovery;
      await this.showInWords(recoveryResource, recovery, output, async () => {
        const waiting =
          queued === 0 ? await this.describeWaiting(client, { id, since }, write.signal) : "";
        return `Queued ${formatMany(queued, "event")}.${waiting}`;
      });
      if (queued > 0) noteSender(this, output);
      if (!untilSent || queued === 0) return;
      await this.waitUntilSent(untilSent, { id, queued, timeoutMs }, output).catch(
        (error: unknown) => {
          const reason: unknown = write.signal.reason;
          if (!(reason instanceof Interruption)) throw error;
          throw new Interruption(reason.by, {
            hasPrompted: false,
            hint: describeQueued(id, this.target),
          });
        },
      );
    });
  }

  /** What a recovery leaves alone since it is still tried: nothing where there is none, or where it cannot be read. */
  private async describeWaiting(
    { webhookEndpoints }: PaymentsClient,
    { id, since }: { id: string; since: number },
    signal: AbortSignal,
  ): Promise<string> {
    const query = { status: "pending", "created[gte]": since, limit: 100 } as const;
    try {
      const { data, has_more: hasMore } = await webhookEndpoints.deliveries(id, query, { signal });
      if (data.length === 0) return "";
      const first = Math.min(...data.map(({ next_attempt_at: at, created }) => at ?? created));
      const waiting = hasMore
        ? `more than ${formatCount(data.length)}`
        : `${formatCount(data.length)}, the first at ${formatLocalTime(first)}`;
      return ` Waiting for their next try: ${waiting} (payments webhooks deliveries ${id} --status pending${this.target}).`;
    } catch (error) {
      if (error instanceof PaymentsError) return ""; // the recovery itself is done
      throw error;
    }
  }

  /** Each request has a key of its own, which follows from the first, so that the command can be repeated. */
  private async queueMissed(
    { webhookEndpoints }: PaymentsClient,
    { id, since }: { id: string; since: number },
    { idempotencyKey, ...write }: WriteOptions,
    output: Output,
  ): Promise<Recovery> {
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    let queued = 0;
    for (let count = 1; ; count++) {
      const key =
        count === 1 ? idempotencyKey : `${idempotencyKey?.slice(0, maxKeyStart)}-${count}`;
      const more = await webhookEndpoints.recover(id, { since }, { ...write, idempotencyKey: key });
      queued += more.queued;
      if (!more.has_more) return { ...more, queued };
      if (this.isHumanOutput(output)) progress.at(`${formatCount(queued)} events queued so far`);
    }
  }

  /** Errors: not_as_expected where some failed again; still_pending at the end of the time. */
  private async waitUntilSent(
    untilSent: UntilSent,
    { id, queued, timeoutMs }: { id: string; queued: number; timeoutMs: number | undefined },
    output: Output,
  ): Promise<void> {
    const all = formatCount(queued);
    const standing = await this.showProgressOf(untilSent, { queued, timeoutMs }, output);
    const { waiting, retried, failed } = standing;
    if (waiting > 0) {
      throw new CommandError(
        "still_pending",
        `${formatCount(waiting)} of ${all} events were not sent yet.`,
        `Wait longer with --timeout. ${describeQueued(id, this.target)}`,
      );
    }
    if (retried + failed > 0) {
      const status = failed > 0 ? "failed" : "pending";
      const rest = retried > 0 ? "Those that are pending are tried again by the schedule. " : "";
      throw new CommandError(
        "not_as_expected",
        `${formatCount(retried + failed)} of ${all} events were not accepted by the endpoint.`,
        `${rest}See why: payments webhooks deliveries ${id} --status ${status}${this.target}`,
      );
    }
    this.note(`All ${all} were delivered.`, output);
  }

  private async showProgressOf(
    untilSent: UntilSent,
    { queued, timeoutMs }: { queued: number; timeoutMs: number | undefined },
    output: Output,
  ): ReturnType<UntilSent> {
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    const onProgress = (left: number) => {
      if (!this.isHumanOutput(output)) return;
      const sent = formatCount(Math.max(0, queued - left));
      progress.at(`${sent} of ${formatCount(queued)} events sent`);
    };
    const connection = noteConnection((text) => this.note(text, output));
    return await untilSent(queued, { onProgress, timeoutMs, connection });
  }
}

function toFlag(since: number): string {
  return `--since ${new Date(since * 1000).toISOString().replace(".000", "")}`;
}

function describeQueued(id: string, target: string): string {
  return `They are queued, and the service goes on sending them. Look again later: payments webhooks deliveries ${id}${target}`;
}

/**
 * How the deliveries of a recovery stand: those that were not tried twice yet, those that failed twice and are tried
 * again later, and those that failed for good again.
 */
type Standing = { waiting: number; retried: number; failed: number };

/** Resolves once each of the `queued` was delivered or has failed twice, or the time is over. */
type UntilSent = (queued: number, options: Awaiting) => Promise<Standing>;

type Awaiting = {
  onProgress: (waiting: number) => void;
  timeoutMs: number | undefined;
  connection: ConnectionState;
};

type Missed = { endpointId: string; since: number };

/** The second attempt follows the first within seconds, further ones after minutes and hours. */
const awaitedAttempts = 2;
const backoff = { minMs: 250, maxMs: 2_000, factor: 1.5 };

/**
 * Watches the deliveries that a recovery queues of an endpoint's events since a time in Unix seconds. It begins before
 * the recovery, to tell those that the recovery leaves alone: what is pending already, or failed and is not queued
 * again, and what comes later.
 */
export async function watchRecovery(
  { webhookEndpoints, events }: Pick<PaymentsClient, "webhookEndpoints" | "events">,
  { endpointId, since }: Missed,
  signal: AbortSignal,
): Promise<UntilSent> {
  const call = { signal };
  const [newest] = (await events.list({ limit: 1 }, call)).data;
  async function* list(status: Delivery["status"]) {
    const query = { status, "created[gte]": since };
    for await (const { data } of webhookEndpoints.deliveryPages(
      endpointId,
      query,
      undefined,
      call,
    )) {
      yield* data;
    }
  }
  const before = new Map<string, number>();
  for (const status of ["failed", "pending"] as const) {
    for await (const { id, created } of list(status)) before.set(id, created);
  }
  /** A delivery that is queued again has another time. */
  const isRecovered = ({ id, event, created }: Delivery) =>
    event <= (newest?.id ?? "") && before.get(id) !== created;

  const countPending = async () => {
    const counts = { waiting: 0, retried: 0 };
    for await (const delivery of list("pending")) {
      if (!isRecovered(delivery)) continue;
      if (delivery.attempts < awaitedAttempts) counts.waiting++;
      else counts.retried++;
    }
    return counts;
  };
  const countFailed = async () => {
    let failed = 0;
    for await (const delivery of list("failed")) if (isRecovered(delivery)) failed++;
    return failed;
  };

  return async (queued, { onProgress, timeoutMs = maxTimerMs, connection }) => {
    const deadline = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), maxTimerMs));
    const ending = AbortSignal.any([signal, deadline]);
    const callWithRetries = createReconnectingCaller(connection, ending);
    const standing: Standing = { waiting: queued, retried: 0, failed: 0 };
    try {
      for (let attempt = 0; ; attempt++) {
        const startMs = performance.now();
        const pending = await callWithRetries(countPending);
        Object.assign(standing, pending);
        onProgress(pending.waiting);
        if (pending.waiting === 0 || ending.aborted) {
          const failed = await callWithRetries(countFailed);
          return { ...pending, failed };
        }
        // A look at many deliveries takes its time: the pause is as long.
        const pauseMs = Math.max(computeBackoff(attempt, backoff), performance.now() - startMs);
        await delay(pauseMs, undefined, { signal: ending }).catch(() => signal.throwIfAborted());
      }
    } catch (error) {
      // The service is away at the end of the time: what is known of the deliveries stands.
      const isAway = error instanceof PaymentsError && error.retryable;
      if (!isAway || !deadline.aborted) throw error;
    }
    return standing;
  };
}
