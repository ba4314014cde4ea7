import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../../client/client.ts";
import { maxPageSize } from "../../../contract/field-values.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import { toSafeJson } from "../../../runtime/text.ts";
import { describeService } from "../../config/resolve-settings.ts";
import { connectionFlags, lineOutputFlags } from "../../flags/flags.ts";
import { parseStatuses, statusesFlag } from "../../flags/list-flags.ts";
import {
  type ConnectionState,
  createReconnectingCaller,
  noteConnection,
} from "../../listen/reconnecting-caller.ts";
import { describeReading, readExits } from "../../output/command-facts.ts";
import { throwUnlessCtrlC, untilSignal } from "../../output/interruption.ts";
import { BaseCommand, type Output } from "../../program/base-command.ts";
import { resolveSafeSettings, withClient } from "../../program/connection.ts";

export default class LogsTail extends BaseCommand {
  static override summary = "Show requests as they are logged.";
  static override description = "From now on, each once, one line each. Ctrl-C ends it.";
  static override examples = [
    "payments logs tail",
    "payments logs tail --status 4xx,5xx --json | jq -r .error.code",
  ];
  static override flags = { ...statusesFlag, ...lineOutputFlags("request"), ...connectionFlags };
  static facts = describeReading("GET /v1/requests/:id", {
    ...readExits,
    done: "ended by Ctrl-C, or by a reader that has left",
  });

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

type Following = {
  /** Statuses or classes; undefined: all. */
  status: string | undefined;
  show: (request: LoggedRequest) => Promise<void>;
  /** Called once it is known which requests were there before. */
  onStarted: () => void;
  /** Called where more came at once than are shown: the older ones are left out. */
  onSkipped: () => void;
  connection: ConnectionState;
};

const pollMs = 1_000;
/**
 * A request is listed at the time at which it began, but only once it has ended and was written: it may appear behind
 * newer ones. Longer than any request takes, and its writing.
 */
const windowSeconds = 60;
/** A poll that finds nothing new reads no further, unless the whole window was not read for this time. */
const wholeEveryMs = 5_000;
const quickPages = 3;
/**
 * The maximum number of ids that are stored, and of requests that are shown at once; with more requests in the window,
 * the window is shorter.
 */
const maxSeen = 20_000;

/** Shows requests as they are logged, from now on, each once, until the signal. Errors: permanent ones. */
export async function followRequests(
  { requests }: Pick<PaymentsClient, "requests">,
  { status, show, onStarted, onSkipped, connection }: Following,
  signal: AbortSignal,
): Promise<void> {
  const callWithRetries = createReconnectingCaller(connection, signal);
  const list = async (query: { "created[gte]"?: number; starting_after?: string } = {}) =>
    requests.list({ status, limit: maxPageSize, ...query }, { signal });
  /** The requests of the window that were seen, with the time of each, from older to newer ones. */
  const seen = new Map<string, number>();
  /** The time of the newest request; undefined where there is none yet. */
  let newest: number | undefined;
  /** The window begins here, where all before it was forgotten. */
  let floor = 0;
  let wholeAtMs = -Infinity;

  /** Unseen requests, oldest first. */
  async function readUnseen({ isFirst = false } = {}): Promise<LoggedRequest[]> {
    const start = newest === undefined ? 0 : Math.max(floor, newest - windowSeconds);
    const readsWhole = performance.now() - wholeAtMs >= wholeEveryMs;
    const unseen: LoggedRequest[] = [];
    let isEmpty = true;
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const query = { "created[gte]": start, ...(cursor && { starting_after: cursor }) };
      const { data, has_more } = await callWithRetries(async () => list(query));
      const found = data.filter(({ id }) => !seen.has(id));
      unseen.push(...found);
      cursor = data.at(-1)?.id;
      isEmpty &&= cursor === undefined;
      const isWhole = !has_more || cursor === undefined;
      if (isWhole) wholeAtMs = performance.now();
      const isQuick = !readsWhole && page >= quickPages && found.length === 0;
      if (isWhole || isQuick) break;
      if (unseen.length >= maxSeen) {
        floor = (data.at(-1)?.created ?? 0) + 1;
        if (!isFirst) onSkipped();
        break;
      }
    }
    if (isEmpty) forget(); // a sandbox was reset: its time may have gone back
    return unseen.toReversed();
  }

  function forget(): void {
    seen.clear();
    newest = undefined;
    floor = 0;
  }

  function remember(found: readonly LoggedRequest[]): void {
    for (const { id, created } of found) {
      seen.set(id, created);
      newest = Math.max(newest ?? 0, created);
    }
    const oldest = (newest ?? 0) - windowSeconds;
    for (const [id, created] of seen) {
      if (created >= oldest && seen.size <= maxSeen) break;
      if (seen.size > maxSeen) floor = Math.max(floor, created + 1);
      seen.delete(id);
    }
  }

  // Without retries: a service that cannot be reached at the start may be a wrong address.
  const [first] = (await list()).data;
  newest = first?.created;
  if (newest !== undefined) remember(await readUnseen({ isFirst: true }));
  onStarted();
  while (!signal.aborted) {
    await delay(pollMs, undefined, { signal });
    const unseen = await readUnseen();
    remember(unseen);
    for (const request of unseen) await show(request);
  }
}
