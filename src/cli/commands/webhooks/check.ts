import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { ChalkInstance } from "chalk";
import type { PromiseResult } from "../../../client/check-receiver.ts";
import {
  type ReceiverPromiseName,
  receiverPromiseNames,
  receiverPromises,
  timePromise,
} from "../../../client/receiver-promises.ts";
import { webhookSecretPattern } from "../../../contract/field-values.ts";
import { escapeControls, findNearNames } from "../../../runtime/text.ts";
import { openKeyring } from "../../config/keyring.ts";
import { refuseLive } from "../../config/resolve-settings.ts";
import { CommandError, usageError } from "../../output/command-error.ts";
import { watchInterruption } from "../../output/interruption.ts";
import { connectionFlags, outputFlags, switchFlag, textFlag } from "../../flags/flags.ts";
import { parseMetadata } from "../../flags/payment-request.ts";
import { findStdinFlag, readInput } from "../../flags/read-input.ts";
import {
  type OwnListener,
  findOwnListener,
  findRunning,
  readListener,
} from "../../listen/open-listener.ts";
import { BaseCommand, type Output } from "../../program/base-command.ts";
import { noteTarget, resolveSafeSettings, withClient } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

const promises = [...receiverPromises, timePromise];

export default class WebhooksCheck extends BaseCommand {
  static override summary =
    "Grade your receiver of webhooks: what it takes, refuses, and does once.";
  static override description =
    "Sends events of test payments, which it makes, to the address, and judges each response. The receiver's secret is that of --secret-file or PAYMENTS_WEBHOOK_SECRET, else of payments listen. With --effect it also sees whether an event that comes twice has its effect once. Exits with 1 when a promise is broken, with 9 when nobody responds.";
  static override examples = [
    "payments webhooks check http://127.0.0.1:3000/hooks",
    "payments webhooks check http://127.0.0.1:3000/hooks --effect http://127.0.0.1:3000/orders/count",
    "payments webhooks check http://127.0.0.1:3000/hooks --only refuses-forged,refuses-stale --json | jq .failed",
    "payments webhooks check --list",
  ];
  static override args = {
    url: Args.string({
      description: "The address at which the receiver takes webhooks.",
      ignoreStdin: true,
    }),
  };
  static override flags = {
    effect: textFlag(
      "Counts what the receiver has done: an address whose body is, or a shell command whose output begins with, an integer that rises by one for each new event.",
      "<url or command>",
    ),
    "secret-file": textFlag(
      "A file with the secret that the receiver verifies with; `-` is standard input.",
      "<path>",
    ),
    metadata: Flags.string({
      summary:
        "Metadata of the test payments; ${n} is another number for each. Repeat the flag for more. Default: order=check-${n}.",
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "<key=value>",
    }),
    only: textFlag("Check these promises alone, separated by commas.", "<names>"),
    skip: textFlag("Check all but these promises, separated by commas.", "<names>"),
    "sign-at": Flags.option({
      summary:
        "Sign at the service's time, or at the real time (wall). Default: as the service does.",
      options: ["service", "wall"] as const,
    })(),
    list: switchFlag("List the promises, and check nothing."),
    ...outputFlags,
    ...connectionFlags,
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "never",
    exits: {
      ...readExits,
      fault: "the receiver breaks a promise",
      conflict: "payments listen is running with the same secret",
      unavailable: "the service or the receiver cannot be reached",
    },
    output: {
      object: "receiver_check",
      fields: [
        "object",
        "url",
        "failed",
        "promises[].name",
        "promises[].result",
        "promises[].status",
        "promises[].duration_ms",
        "promises[].detail",
      ],
    },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksCheck);
    const output = this.parseOutput(flags);
    if (flags.list) {
      await this.listPromises(output);
      return;
    }
    const url = parseReceiverUrl(args.url);
    findStdinFlag(flags);
    const options = {
      url,
      effect: flags.effect,
      metadata: flags.metadata && parseMetadata(flags.metadata),
      only: flags.only === undefined ? undefined : parsePromises(flags.only, "--only"),
      skip: flags.skip === undefined ? undefined : parsePromises(flags.skip, "--skip"),
    };
    const settings = await resolveSafeSettings(this, flags);
    refuseLive(settings, "This makes test payments");
    const given = await readSecret(flags["secret-file"]);
    noteTarget(this, settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const { runReceiverCheck } = await import("../../../client/check-receiver.ts");
    const checked = await withClient(this, flags, settings, async (client) => {
      const { id } = await client.account.retrieve({ signal });
      const own = findOwnListener(settings, id, "default");
      refuseRunning(own);
      const secret = given ?? findSecret(own);
      const onResult = async (result: PromiseResult) => {
        if (output.format === "table") await this.write(`${formatResult(result, this.style)}\n`);
      };
      const { version } = this.config;
      const signAt = flags["sign-at"] ?? (this.serviceTime.signsAtWall() ? "wall" : "service");
      const about = { ...options, client, secret, signAt };
      return await runReceiverCheck(about, { signal, onResult, version });
    });
    const { promises: results, failed } = checked;
    const columns = ["name", "result", "status", "duration_ms", "detail"];
    if (output.format !== "table") {
      await this.show({ value: checked, records: results, columns, text: () => "" }, output);
    }
    if (failed > 0) {
      throw new CommandError(
        "fault",
        `The receiver breaks ${failed} of ${results.length} promises.`,
      );
    }
    this.note(describeSuccess(results), output);
  }

  private async listPromises(output: Output): Promise<void> {
    const data = promises.map(({ name, sent, holds }) => ({ name, sent, holds }));
    const text = async () => {
      const { drawRows } = await import("../../output/table.ts");
      const rows = drawRows(data.map((each) => Object.values(each)));
      return rows.flat().join("\n");
    };
    const columns = ["name", "sent", "holds"];
    await this.show({ value: { object: "list", data }, records: data, columns, text }, output);
  }
}

/** Refuses a check while a listener of this home forwards the same events. */
function refuseRunning(own: OwnListener): void {
  const running = findRunning(own);
  if (running === undefined) return;
  throw usageError(
    `The listener “${running}” is running here: what it forwards would be counted. Nothing was sent.`,
    "Stop payments listen, and check again.",
  );
}

/** The secret of this home's listener. */
function findSecret(own: OwnListener): string {
  const secret = readListener(own, openKeyring(process.env))?.secret;
  if (secret !== undefined) return secret;
  throw usageError(
    "The receiver's secret is not known here. Nothing was sent.",
    "Give it in PAYMENTS_WEBHOOK_SECRET or with --secret-file; or start the receiver with the one of payments listen --print-secret.",
  );
}

function parseReceiverUrl(text: string | undefined): string {
  const example = "For example payments webhooks check http://127.0.0.1:3000/hooks";
  if (text === undefined) throw usageError("Missing the receiver's address.", example);
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.href;
  throw usageError(
    "<url> must be an http or https address without user name or password.",
    example,
  );
}

function parsePromises(text: string, flag: string): ReceiverPromiseName[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !receiverPromiseNames.includes(name as never));
  if (unknown === undefined) return names as ReceiverPromiseName[];
  const [near] = findNearNames(unknown, receiverPromiseNames);
  const hint =
    near === undefined ? "payments webhooks check --list shows them." : `Did you mean ${near}?`;
  throw usageError(`${flag} names a promise that there is not.`, hint);
}

async function readSecret(file: string | undefined): Promise<string | undefined> {
  const [text, source] =
    file === undefined
      ? [process.env["PAYMENTS_WEBHOOK_SECRET"], "PAYMENTS_WEBHOOK_SECRET"]
      : [await readInput(file, "--secret-file"), "--secret-file"];
  if (text === undefined || webhookSecretPattern.test(text.trim())) return text?.trim();
  throw usageError(
    `${source} is not the secret of a webhook endpoint.`,
    "Give it whole, from whsec_ on.",
  );
}

const sentBy = new Map<string, string>(promises.map(({ name, sent }) => [name, sent]));
const nameWidth = Math.max(...receiverPromiseNames.map((name) => name.length));

function formatResult(
  { name, result, status, duration_ms: durationMs, detail }: PromiseResult,
  style: ChalkInstance,
): string {
  const color = { ok: style.green, failed: style.red, warning: style.yellow, not_seen: style.dim };
  const word = color[result](result.replace("_", " ").padEnd(8));
  const came = [status, durationMs === null ? null : `${durationMs} ms`].filter(
    (each) => each !== null,
  );
  const sent = [sentBy.get(name), ...(came.length > 0 ? [came.join(", ")] : [])].join(" → ");
  return `${word}  ${name.padEnd(nameWidth)}  ${sent}${detail && `: ${escapeControls(detail)}`}`;
}

function describeSuccess(results: readonly PromiseResult[]): string {
  const unseen = results.filter(({ result }) => result === "not_seen").length;
  if (unseen === 0)
    return `The receiver keeps ${results.length === 1 ? "its promise" : `all ${results.length} promises`}.`;
  return `Nothing failed, but ${unseen} of ${results.length} promises were not seen: --effect shows what the receiver does.`;
}
