import { randomUUID } from "node:crypto";
import type { UpdateEndpoint } from "../../client/calls.ts";
import type { PaymentsClient } from "../../client/client.ts";
import type { WriteOptions } from "../../client/request.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import { embedded } from "../config/resolve-settings.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { endpointResource } from "../output/webhook-resources.ts";
import { checkId, checkIdempotencyKey } from "../flags/checked-values.ts";
import { BaseCommand, type Output, type OutputFlags } from "./base-command.ts";

type WriteFlags = ConnectionFlags & OutputFlags & { "idempotency-key"?: string | undefined };
type Write<T> = (
  client: PaymentsClient,
  write: WriteOptions & { signal: AbortSignal },
) => Promise<T>;

/** The base of commands that change endpoints, or resend events. */
export abstract class WriteCommand extends BaseCommand {
  /** Whether the service is the embedded one, which delivers nothing. */
  protected isEmbedded = false;

  /** Runs one write with an idempotency key, which an error names where the outcome is unknown. */
  protected async performWrite<T>(flags: WriteFlags, output: Output, work: Write<T>): Promise<T> {
    const settings = await this.resolveSettings(flags);
    this.isEmbedded = settings.baseUrl === embedded;
    this.printTarget(settings, output);
    const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    using interruption = watchInterruption({ hasPrompted: false });
    const write = { idempotencyKey, signal: interruption.signal };
    return await this.withClient(flags, settings, async (client) => work(client, write));
  }

  protected async changeEndpoint(
    typedId: string,
    change: UpdateEndpoint,
    flags: WriteFlags,
  ): Promise<void> {
    const output = this.parseOutput(flags, endpointResource);
    const id = checkId(endpointResource, typedId, "<id>");
    const endpoint = await this.performWrite(flags, output, async ({ webhookEndpoints }, write) =>
      webhookEndpoints.update(id, change, write),
    );
    await this.showOne(endpointResource, endpoint, output, `The endpoint ${id} was changed.`);
  }

  /** Notes that the embedded service delivers nothing: it ends with its command, before any retry. */
  protected noteSender(output: Output): void {
    if (!this.isEmbedded) return;
    this.note(
      "The embedded service sends nothing itself: what is due waits for payments serve.",
      output,
    );
  }
}
