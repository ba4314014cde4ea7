import { setTimeout as delay } from "node:timers/promises";
import { PaymentsClient } from "../../client/client.ts";
import { ApiError, hasNoResponse, PaymentsError } from "../../client/errors.ts";
import type { Connection, WriteOptions } from "../../client/request.ts";
import type { KeyAccount } from "../../contract/account.ts";
import { type Permission, sandboxKeys } from "../../contract/field-values.ts";
import { networkHeader, sandboxClockHeader, simulatorName } from "../../contract/route.ts";
import { type ConnectionFlags, openConnection } from "../config/connect.ts";
import { embedded } from "../config/profile.ts";
import {
  type SettingFlags,
  type Settings,
  type TransportFlags,
  assertSafeTransport,
  describePlace,
  describeService,
  describeUnsafeTransport,
  resolveSettings,
} from "../config/resolve-settings.ts";
import { isRelativeTime, parseCreatedMs } from "../../runtime/time.ts";
import { CommandError, UnclearWrite, usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { checkIdempotencyKey } from "../flags/checked-values.ts";
import type { BaseCommand, Output, OutputFlags } from "./base-command.ts";

/**
 * Resolves the settings of a command. `sends`: whether the key will be sent; then an unsafe transport is refused before
 * any prompt.
 */
export async function resolveSafeSettings(
  command: BaseCommand,
  flags: SettingFlags & TransportFlags & OutputFlags,
  { sends = true, publishedKey }: { sends?: boolean; publishedKey?: string } = {},
): Promise<Settings> {
  const options = publishedKey === undefined ? {} : { publishedKey };
  const settings = await resolveSettings(flags, process.env, options);
  if (settings.hasSeveralContexts) {
    command.place = { text: describePlace(settings), context: settings.context, isNoted: false };
  }
  if (sends) checkTransport(command, settings, flags);
  return settings;
}

/**
 * Refuses a transport on which others could read the key, and warns of one that is not safe. A machine that reads
 * standard error is not warned: for it that stays empty.
 */
export function checkTransport(
  command: BaseCommand,
  settings: Pick<Settings, "baseUrl" | "mode">,
  flags: TransportFlags & OutputFlags,
): void {
  assertSafeTransport(settings, flags, process.env);
  const warning = describeUnsafeTransport(settings, process.env);
  if (warning === undefined) return;
  if (!process.stderr.isTTY && !command.isHumanOutput(command.parseOutput(flags))) return;
  process.stderr.write(`${command.errorStyle.yellow.bold("Warning:")} ${warning}\n`);
}

/** Notes what kind of service answers, by its responses, and where a live write goes. */
function watchService(command: BaseCommand, { baseUrl, mode }: Settings) {
  const { seen, serviceTime } = command;
  seen.isEmbedded = baseUrl === embedded;
  return {
    sent: ({ method }: { method: string }): void => {
      if (mode === "live" && method !== "GET" && method !== "HEAD") command.notePlace();
    },
    answered: ({ headers }: { headers: Record<string, string> }): void => {
      serviceTime.see(headers);
      seen.isSandbox ||= headers[sandboxClockHeader] !== undefined;
      seen.isSimulator ||= headers[networkHeader] === simulatorName;
    },
  };
}

/** Runs `work` with a client for the settings, and always closes the client. */
export async function withClient<T>(
  command: BaseCommand,
  flags: ConnectionFlags,
  settings: Settings,
  work: (client: PaymentsClient) => Promise<T>,
): Promise<T> {
  const trace = watchService(command, settings);
  const { transport, ...options } = await openConnection(
    settings,
    flags,
    command.config.root,
    trace,
  );
  const client = new PaymentsClient({ ...options, baseUrl: transport });
  try {
    return await work(client);
  } catch (error) {
    throw withContext(error, command.place?.context);
  } finally {
    await client.close();
  }
}

/** As `withClient`, for requests of any kind. */
export async function withConnection<T>(
  command: BaseCommand,
  flags: ConnectionFlags,
  settings: Settings,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const closing = new AbortController();
  const trace = watchService(command, settings);
  const opened = await openConnection(settings, flags, command.config.root, trace);
  try {
    return await work({ ...opened, closed: closing.signal });
  } catch (error) {
    throw withContext(error, command.place?.context);
  } finally {
    closing.abort();
    await opened.transport.close();
  }
}

/** An unclear write is repeated in its context: repeated as it was typed, it could pay in one that is in use by then. */
function withContext(error: unknown, context: string | undefined): unknown {
  if (context === undefined) return error;
  if (error instanceof UnclearWrite)
    return new UnclearWrite(error.cause, `--context ${context} ${error.replacement}`);
  const isUnclear = error instanceof PaymentsError && error.outcomeUnknown;
  return isUnclear ? new UnclearWrite(error, `--context ${context}`) : error;
}

/** As `withClient`, for a command that only reads and needs its settings for nothing else. */
export async function withReader<T>(
  command: BaseCommand,
  flags: ConnectionFlags & OutputFlags,
  work: (client: PaymentsClient) => Promise<T>,
): Promise<T> {
  return await withClient(command, flags, await resolveSafeSettings(command, flags), work);
}

/** The account of the key, null where the service is of a version that does not tell it. Errors: no such service or key. */
export async function findAccount(
  { account, payments }: PaymentsClient,
  signal?: AbortSignal,
): Promise<KeyAccount | null> {
  try {
    return await account.retrieve({ signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "endpoint_not_found") throw error;
    // Either the service has an older version without this path, or the base URL is wrong: this request tells.
    await payments.list({ limit: 1 }, { signal });
    return null;
  }
}

/** Reads once before a write whose outcome is read: a key that may not read says so while nothing is written. */
export async function checkReading(
  { payments }: PaymentsClient,
  signal: AbortSignal,
): Promise<void> {
  await payments.list({ limit: 1 }, { signal });
}

/** What a command needs of its key. `refunds`: the largest amount that it refunds, in minor units. */
type Needs = { permissions: readonly Permission[]; refunds?: number | undefined };

/**
 * Checks what a key may before several requests, so that none of them is sent where a later one would be refused.
 * `nothing`: the sentence that says so. Errors: a `CommandError` that names what the key lacks; no such service or key.
 */
export async function checkGrant(
  client: PaymentsClient,
  { permissions: needed, refunds = 0 }: Needs,
  { nothing, signal }: { nothing: string; signal: AbortSignal },
): Promise<void> {
  const { permissions, max_refund: maxRefund } = (await findAccount(client, signal)) ?? {};
  const lacking = needed.find((each) => permissions && !permissions.includes(each));
  const isTooLarge = refunds > (maxRefund ?? Infinity);
  if (lacking === undefined && !isTooLarge) return;
  const what =
    lacking === undefined
      ? `may refund at most ${maxRefund} in minor units, and not ${refunds}`
      : `lacks the permission ${lacking}`;
  const { grantHint } = await import("../output/explain-failure.ts");
  throw new CommandError("key", `This API key ${what}. ${nothing}`, grantHint);
}

export type WriteFlags = ConnectionFlags & OutputFlags & { "idempotency-key"?: string | undefined };
type Write = WriteOptions & { signal: AbortSignal };

/** Runs one write with an idempotency key, which an error names where the outcome is unknown. */
export async function withWriter<T>(
  command: BaseCommand,
  { flags, output }: { flags: WriteFlags; output: Output },
  work: (client: PaymentsClient, write: Write) => Promise<T>,
): Promise<T> {
  const settings = await resolveSafeSettings(command, flags);
  noteTarget(command, settings, output);
  const { randomUUID } = process.getBuiltinModule("node:crypto"); // a command that reads needs none
  const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
  using interruption = watchInterruption({ hasPrompted: false });
  const write = { idempotencyKey, signal: interruption.signal };
  return await withClient(command, flags, settings, async (client) => work(client, write));
}

/** Runs `work` on a sandbox: with its published key, unless there is another one for it. */
export async function withSandbox<T>(
  command: BaseCommand,
  flags: ConnectionFlags & OutputFlags,
  work: (sandbox: PaymentsClient["sandbox"]) => Promise<T>,
): Promise<T> {
  const inTest = { ...flags, mode: "test" };
  const published = { publishedKey: sandboxKeys.test };
  const settings = await resolveSafeSettings(command, inTest, published);
  if (settings.baseUrl === embedded) throw noSandboxError(settings);
  return await withClient(command, inTest, settings, async ({ sandbox }) => {
    try {
      return await work(sandbox);
    } catch (error) {
      const isOther = error instanceof ApiError && error.code === "endpoint_not_found";
      throw isOther ? noSandboxError(settings) : error;
    }
  });
}

function noSandboxError(settings: Settings): Error {
  return usageError(
    `There is no sandbox at ${describeService(settings)}. Nothing was done.`,
    "Start one with payments sandbox, then payments login --sandbox; or name one that runs with --base-url.",
  );
}

/**
 * Parses flags whose ages and days count back from the service's time, which a service is asked for only where there is
 * one. The caller has checked the flags before, so that nothing is sent where one is wrong.
 */
export async function parseAges<T>(
  { serviceTime }: BaseCommand,
  { account }: Pick<PaymentsClient, "account">,
  times: readonly (string | undefined)[],
  parse: (nowMs: number) => T,
): Promise<T> {
  if (times.some((text) => text !== undefined && isRelativeTime(text))) {
    await account.retrieve().catch((error: unknown) => {
      if (!(error instanceof PaymentsError) || hasNoResponse(error)) throw error;
      // Any response tells the time.
    });
  }
  return parse(serviceTime.nowMs());
}

/** Notes in a terminal the mode and the service of a write, or its context where there are several. */
export function noteTarget(command: BaseCommand, settings: Settings, output: Output): void {
  if (!process.stderr.isTTY) return;
  if (command.place && settings.mode === "live") {
    command.notePlace();
    return;
  }
  const word = settings.mode === "live" ? command.errorStyle.bold("Live") : "Test";
  command.note(`${word} mode, ${describeService(settings)}.`, output);
}

/** Notes once that a live payment moves no money: on the embedded service, or on one with the simulator. */
export function noteSimulator(
  command: BaseCommand,
  { mode, baseUrl }: Settings,
  output: Output,
): void {
  const { seen } = command;
  const isSimulated = mode === "live" && (baseUrl === embedded || seen.isSimulator);
  if (!isSimulated || seen.isNoted) return;
  seen.isNoted = true;
  command.note("Live mode on the built-in simulator: no money moves.", output);
}

/** Notes that the embedded service delivers nothing: it ends with its command, before any retry. */
export function noteSender(command: BaseCommand, output: Output): void {
  if (!command.seen.isEmbedded) return;
  command.note(
    "The embedded service sends nothing itself: what is due waits for payments serve.",
    output,
  );
}

/** A service logs a request within 2 s of its answer. */
const loggedWithinMs = 3_000;
const pollMs = 300;

/** Retrieves what needs the log of a request, once more where the request is younger than its log. */
export async function retrieveOnceLogged<T>(
  { serviceTime }: BaseCommand,
  requestId: string,
  retrieve: () => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await retrieve();
    } catch (error) {
      const isMissing = error instanceof ApiError && error.status === 404;
      const ageMs = serviceTime.nowMs() - parseCreatedMs(requestId);
      // Another replica's clock may be ahead.
      const waitMs = Math.min(loggedWithinMs, loggedWithinMs - ageMs);
      if (!isMissing || performance.now() - startMs >= waitMs) throw error;
      await delay(pollMs);
    }
  }
}
