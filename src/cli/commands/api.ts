import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { sandboxKeys } from "../../contract/field-values.ts";
import { escapeControls, escapeLines, isJsonObject, toSafeJson } from "../../runtime/text.ts";
import { describeRequest } from "../config/connect.ts";
import {
  type ApiRequest,
  apiFlags,
  assertOneStdin,
  parseApiRequest,
} from "../flags/api-request.ts";
import { checkIdempotencyKey } from "../flags/checked-values.ts";
import { connectionFlags, idempotencyKeyFlag, outputFlags, switchFlag } from "../flags/flags.ts";
import { usageError } from "../output/command-error.ts";
import { type CommandFacts, writeExits } from "../output/command-facts.ts";
import { watchInterruption } from "../output/interruption.ts";
import type { Resource } from "../output/resource.ts";
import { BaseCommand, type Output } from "../program/base-command.ts";
import {
  noteSimulator,
  noteTarget,
  resolveSafeSettings,
  withConnection,
} from "../program/connection.ts";
import {
  type RawResponse,
  assertList,
  assertSafe,
  isWrite,
  joinHeaders,
  sendForPages,
  sendRaw,
  splitPath,
  takesKey,
} from "../program/raw-request.ts";
import { printPages } from "../program/show-pages.ts";

export default class Api extends BaseCommand {
  static override summary = "Send any request of the API, and print the exact response.";
  static override description =
    "For requests that no other command makes, as the API's documentation has them: with the key, retries and idempotency key of every other command. It never asks.";
  static override examples = [
    "payments api /v1/payments?limit=3",
    "payments api GET /v1/payments -f search=ada --all -o ndjson",
    "payments api /v1/webhook_endpoints -f url=https://shop.example/hooks -f events[]=payment.failed",
    "payments api /v1/payments --data payment.json -i",
    "payments api POST /v1/payments/pay_0199c5a8-7f3e-7abc-9def-0123456789ab/refund --idempotency-key order-1001",
    "payments api DELETE /v1/webhook_endpoints/we_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override args = {
    method: Args.string({
      description:
        "GET, HEAD, POST, PUT, PATCH or DELETE. Left out: POST where there are fields or a body, else GET.",
      ignoreStdin: true,
    }),
    path: Args.string({
      description: "The path, such as /v1/payments, with or without its query.",
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...apiFlags,
    "dry-run": switchFlag("Print the request, masked, and send nothing."),
    ...idempotencyKeyFlag,
    json: Flags.boolean({
      ...outputFlags.json,
      summary: "Errors as JSON, too; the same as -o json.",
    }),
    output: Flags.option({
      char: "o",
      summary: "JSON as in the API, or JSON lines: an item of a list each.",
      options: ["json", "ndjson"] as const,
      helpValue: "<format>",
      helpGroup: "OUTPUT",
    })(),
    ...connectionFlags,
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: { with: "idempotency-key" },
    exits: writeExits,
    output: { object: null, fields: [] },
  };

  async run(): Promise<void> {
    const { args, flags, raw } = await this.parse(Api);
    const output = this.parseOutput(flags);
    assertOneStdin(flags, raw);
    const { "dry-run": isDry } = flags;
    const words = [args.method, args.path];
    const isOfSandbox = words.some((word) => word?.startsWith("/sandbox/"));
    const published = isOfSandbox ? { publishedKey: sandboxKeys.test } : {};
    const settings = await resolveSafeSettings(this, flags, { sends: !isDry, ...published });
    const isLive = settings.mode === "live";
    const request = await parseApiRequest(flags, { words, raw, isLive });
    const isPaged = flags.all || flags.limit !== undefined;
    const idempotencyKey = this.chooseKey(request, flags["idempotency-key"]);
    if (isPaged) assertList(request);
    if (isDry) {
      await this.showRequest(request, settings, idempotencyKey, output);
      return;
    }
    if (isWrite(request)) {
      noteTarget(this, settings, output);
      noteSimulator(this, settings, output);
    } else this.endWithReader();
    using interruption = isWrite(request) ? watchInterruption({ hasPrompted: false }) : undefined;
    await withConnection(this, flags, settings, async (connection) => {
      if (isPaged) {
        const pages = sendForPages(connection, request, flags.limit);
        const { query } = splitPath(request.path);
        const format = output.format === "ndjson" ? "ndjson" : "json";
        await printPages(this, anyObject, pages, { query, output: { ...output, format } });
        return;
      }
      const onRefused = flags.include ? async (head: Head) => this.showHead(head) : undefined;
      const options = { idempotencyKey, signal: interruption?.signal, onRefused };
      const response = await sendRaw(connection, request, options);
      if (isWrite(request)) noteSimulator(this, settings, output);
      await this.showResponse(response, output, flags.include);
    });
  }

  private chooseKey(request: ApiRequest, typed: string | undefined): string | undefined {
    if (takesKey(request)) return checkIdempotencyKey(typed ?? randomUUID());
    if (typed === undefined) return undefined;
    throw usageError("--idempotency-key has an effect on a POST below /v1/ alone. Leave it out.");
  }

  private async showRequest(
    request: ApiRequest,
    settings: Parameters<typeof describeRequest>[0],
    idempotencyKey: string | undefined,
    output: Output,
  ): Promise<void> {
    assertSafe(request);
    const { method, path, headers, body } = request;
    const described = await describeRequest(settings, {
      method,
      path,
      headers: joinHeaders(headers),
      call: {
        ...(body !== undefined && { body: JSON.parse(body) as unknown }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
    });
    const text = () => toSafeJson(described, { indented: true });
    await this.show({ value: described, text }, output);
  }

  private async showHead({ status, headers }: Head): Promise<void> {
    const { isTTY } = process.stdout;
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
      ...Object.entries(headers).map(([name, each]) => `${name}: ${each}`),
    ].map((line) => `${isTTY ? escapeControls(line) : line}\n`);
    await this.write(`${lines.join("")}\n`);
  }

  /** Prints the bytes as they came; in a terminal without what it would obey. */
  private async showResponse(
    { status, headers, body, value }: RawResponse,
    { format }: Output,
    hasHead: boolean,
  ): Promise<void> {
    const { isTTY } = process.stdout;
    if (hasHead) await this.showHead({ status, headers });
    if (format === "ndjson") {
      const items = isJsonObject(value) && Array.isArray(value["data"]) ? value["data"] : [value];
      const lines = items.map((item) => `${toSafeJson(item, { indented: false })}\n`);
      if (value !== undefined) await this.write(lines.join(""));
    } else if (isTTY && body.length > 0) {
      await this.write(`${escapeLines(Buffer.from(body).toString()).join("\n")}\n`);
    } else await this.write(body);
  }
}

type Head = Pick<RawResponse, "status" | "headers">;

/** The items of a list of any kind. */
const anyObject: Resource<{ id: string }> = {
  name: "object",
  one: "an object",
  many: "objects",
  idPattern: /^/,
  idForm: "",
  shownBy: "payments api",
  fields: [],
  someFields: "",
  columns: [],
};
