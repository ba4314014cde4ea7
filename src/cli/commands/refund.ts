import { randomUUID } from "node:crypto";
import * as Args from "@oclif/core/args";
import { BaseCommand } from "../base/base-command.ts";
import { ConnectionError } from "../../client/errors.ts";
import { usageError } from "../errors/command-error.ts";
import { writeFlags, yesFlag } from "../parse/flags.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { checkIdempotencyKey, checkId } from "../parse/checked-values.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { choosePayment, confirmRefund } from "../prompts/choose-payment.ts";

export default class Refund extends BaseCommand {
  static override summary = "Refund a succeeded payment in full.";
  static override examples = [
    "payments refund",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab --yes --json | jq .status",
  ];
  static override args = {
    id: Args.string({
      description: "The id of the payment; without it you choose one, in a terminal.",
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...yesFlag,
    ...writeFlags(paymentResource),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Refund);
    const output = this.parseOutput(flags);
    const canPrompt = this.canPrompt(flags, output);
    const id = checkId(paymentResource, args.id, "<id>");
    if (id === undefined && !canPrompt) {
      throw usageError(
        `Missing the id of the payment.${flags.yes ? "" : " A refund also needs --yes where it cannot be confirmed at a prompt."}`,
        "payments list --status succeeded shows them.",
      );
    }
    if (!flags.yes && !canPrompt) {
      throw usageError(
        "A refund needs --yes where it cannot be confirmed at a prompt. Nothing was refunded.",
      );
    }
    const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    const settings = await this.resolveSettings(flags);
    const refunded = await this.withClient(flags, settings, async ({ payments }) => {
      const payment =
        id === undefined
          ? await choosePayment(await this.openPrompter(), payments)
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
      // A payment that cannot be refunded needs no confirmation: the service says why.
      const mayBeRefunded = payment.status === "succeeded" || payment.status === "pending";
      const confirms = !flags.yes && mayBeRefunded;
      if (confirms) await confirmRefund(await this.openPrompter(), payment);
      using interruption = watchInterruption({ hasPrompted: confirms || id === undefined });
      return await payments.refund(payment.id, { idempotencyKey, signal: interruption.signal });
    });
    this.noteSimulator(settings, output);
    await this.showPayment(refunded, output);
  }
}
