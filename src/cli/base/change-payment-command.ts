import { randomUUID } from "node:crypto";
import type { PaymentsClient } from "../../client/client.ts";
import { ConnectionError, PaymentsError } from "../../client/errors.ts";
import type { WriteOptions } from "../../client/request.ts";
import type { Payment } from "../../contract/payment.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import { UnclearWrite, usageError } from "../errors/command-error.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkId, checkIdempotencyKey } from "../flags/checked-values.ts";
import { type PaymentChange, choosePayment, confirmChange } from "../prompts/payment-change.ts";
import { BaseCommand, type OutputFlags } from "./base-command.ts";

type Flags = ConnectionFlags &
  OutputFlags & {
    yes: boolean;
    "no-input"?: boolean;
    "idempotency-key"?: string | undefined;
  };

/** The base of commands that change one payment, which a user may choose, and confirms. */
export abstract class ChangePaymentCommand extends BaseCommand {
  protected async changePayment(
    { typedId, flags }: { typedId: string | undefined; flags: Flags },
    change: PaymentChange,
    send: (client: PaymentsClient, id: string, write: WriteOptions) => Promise<Payment>,
  ): Promise<void> {
    const { noun, participle, status } = change;
    const output = this.parseOutput(flags);
    const canPrompt = this.canPrompt(flags, output);
    const id = checkId(paymentResource, typedId, "<id>");
    if (id === undefined && !canPrompt) {
      throw usageError(
        `Missing the id of the payment.${flags.yes ? "" : ` ${noun} also needs --yes where it cannot be confirmed at a prompt.`}`,
        `payments list --status ${status} shows them.`,
      );
    }
    if (!flags.yes && !canPrompt) {
      throw usageError(
        `${noun} needs --yes where it cannot be confirmed at a prompt. Nothing was ${participle}.`,
      );
    }
    const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    const settings = await this.resolveSettings(flags);
    const changed = await this.withClient(flags, settings, async (client) => {
      const { payments } = client;
      const payment =
        id === undefined
          ? await choosePayment(await this.openPrompter(), payments, change)
          : await payments.retrieve(id).catch((error: unknown) => {
              if (error instanceof ConnectionError && !error.sent) error.sayNothingWasSent();
              throw error;
            });
      if (this.isHumanOutput(output)) {
        const { formatItem } = await import("../output/resource-text.ts");
        this.note(`${formatItem(paymentResource, payment, this.errorStyle)}\n`);
      }
      this.printTarget(settings, output);
      this.noteSimulator(settings, output);
      const confirms = !flags.yes && change.mayChange(payment);
      if (confirms) await confirmChange(await this.openPrompter(), payment, change);
      using interruption = watchInterruption({ hasPrompted: confirms || id === undefined });
      try {
        return await send(client, payment.id, { idempotencyKey, signal: interruption.signal });
      } catch (error) {
        // Repeated as it was typed, the command would offer other payments than the chosen one.
        const isUnclear = error instanceof PaymentsError && error.outcomeUnknown;
        throw isUnclear && id === undefined ? new UnclearWrite(error, payment.id) : error;
      }
    });
    this.noteSimulator(settings, output);
    await this.showPayment(changed, output);
  }
}
