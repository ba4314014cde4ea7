import { randomUUID } from "node:crypto";
import type { UpdateEndpoint } from "../../client/calls.ts";
import type { PaymentsClient } from "../../client/client.ts";
import type { WriteOptions } from "../../client/request.ts";
import { BaseCommand, type Output } from "./base-command.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { checkId, checkIdempotencyKey } from "../parse/checked-values.ts";
import { endpointKind } from "../output/kinds.ts";
import { embedded, type Settings } from "../config/resolve-settings.ts";
import { endpointView } from "../output/views.ts";

type WriteFlags = ConnectionFlags & { "idempotency-key"?: string | undefined };

/** What every command stands on that changes who is told of events, or tells them again. */
export abstract class WriteCommand extends BaseCommand {
  /** Does one write under an idempotency key, which is named where the outcome stays unknown. */
  protected async withWrite<T>(
    flags: WriteFlags,
    settings: Settings,
    work: (client: PaymentsClient, write: WriteOptions) => Promise<T>,
  ): Promise<T> {
    const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    using interruption = watchInterruption({ asked: false });
    const write = { idempotencyKey, signal: interruption.signal };
    return await this.withClient(flags, settings, async (client) => work(client, write));
  }

  /** Changes an endpoint, and shows what it is now. */
  protected async changeEndpoint(
    id: string,
    change: UpdateEndpoint,
    flags: WriteFlags & Parameters<BaseCommand["outputOf"]>[0],
  ): Promise<void> {
    const output = this.outputOf(flags, endpointKind);
    const checked = checkId(endpointKind, id, "<id>");
    const settings = await this.settings(flags);
    this.notePlace(settings, output);
    const endpoint = await this.withWrite(flags, settings, async ({ webhookEndpoints }, write) =>
      webhookEndpoints.update(checked, change, write),
    );
    await this.showOne(endpointView, endpoint, output, `The endpoint ${checked} was changed.`);
  }

  /** A command's own service ends with it: only one that goes on can send, and try again. */
  protected noteSender({ baseUrl }: Settings, output: Output): void {
    if (baseUrl !== embedded) return;
    this.note(
      "The embedded service sends nothing itself: what is due waits for payments serve.",
      output,
    );
  }
}
