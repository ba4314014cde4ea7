import { randomUUID } from "node:crypto";
import type { PaymentsClient } from "../../client/client.ts";
import { ConnectionError, PaymentsError } from "../../client/errors.ts";
import type { WriteOptions } from "../../client/request.ts";
import type { Payment } from "../../contract/payment.ts";
import { UnclearWrite, usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkId, checkIdempotencyKey } from "../flags/checked-values.ts";
import { choosePayment, confirmChange, type PaymentChange } from "../prompts/payment-change.ts";
import type { BaseCommand } from "./base-command.ts";
import {
  noteSimulator,
  noteTarget,
  resolveSafeSettings,
  withClient,
  type WriteFlags,
} from "./connection.ts";

type Flags = WriteFlags & { yes: boolean; "no-input"?: boolean };

/** Changes one payment, which a user may choose, and confirms. */
export async function changePayment(
  command: BaseCommand,
  { typedId, flags }: { typedId: string | undefined; flags: Flags },
  change: PaymentChange,
  send: (client: PaymentsClient, id: string, write: WriteOptions) => Promise<Payment>,
): Promise<void> {
  const { noun, participle, status } = change;
  const output = command.parseOutput(flags);
  const canPrompt = command.canPrompt(flags, output);
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
      "Add --yes.",
    );
  }
  const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
  const settings = await resolveSafeSettings(command, flags);
  const changed = await withClient(command, flags, settings, async (client) => {
    const { payments } = client;
    const payment =
      id === undefined
        ? await choosePayment(await command.openPrompter(), payments, change)
        : await payments.retrieve(id).catch((error: unknown) => {
            if (error instanceof ConnectionError && !error.sent) error.sayNothingWasSent();
            throw error;
          });
    if (command.isHumanOutput(output)) {
      const { formatItem } = await import("../output/resource-text.ts");
      command.note(`${formatItem(paymentResource, payment, command.errorStyle)}\n`);
    }
    noteTarget(command, settings, output);
    noteSimulator(command, settings, output);
    const confirms = !flags.yes && change.mayChange(payment);
    if (confirms)
      await confirmChange(await command.openPrompter(), payment, change, command.place?.text);
    using interruption = watchInterruption({ hasPrompted: confirms || id === undefined });
    try {
      return await send(client, payment.id, { idempotencyKey, signal: interruption.signal });
    } catch (error) {
      // Repeated as it was typed, the command would offer other payments than the chosen one.
      const isUnclear = error instanceof PaymentsError && error.outcomeUnknown;
      throw isUnclear && id === undefined ? new UnclearWrite(error, payment.id) : error;
    }
  });
  noteSimulator(command, settings, output);
  await command.showPayment(changed, output);
}
