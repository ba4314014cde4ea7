import { randomUUID } from "node:crypto";
import { Args, Flags } from "@oclif/core";
import { BaseCommand } from "../base-command.ts";
import type { Payment } from "../contract/payment.ts";
import { CommandError, exitCodes, usageError } from "../exit-codes.ts";
import { connectionFlags, fieldsFlag, idempotencyKeyFlag, outputFlags } from "../flags.ts";
import { interruptible } from "../interruption.ts";
import { checkedPaymentId } from "../input/payment-id.ts";
import { checkedIdempotencyKey } from "../input/idempotency-key.ts";
import { money } from "../output/format.ts";
import { paymentText } from "../output/payment-text.ts";

export default class Refund extends BaseCommand {
  static override summary = "Refund a succeeded payment in full.";
  static override examples = [
    "<%= config.bin %> refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "<%= config.bin %> refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab --yes --json | jq .status",
  ];
  static override args = {
    id: Args.string({ description: "The id of the payment.", ignoreStdin: true }),
  };
  static override flags = {
    yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation." }),
    ...idempotencyKeyFlag,
    ...fieldsFlag,
    ...outputFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Refund);
    const output = this.outputOf(flags);
    const { id } = args;
    if (id === undefined) {
      throw usageError(
        "Missing the id of the payment.",
        "payments list --status succeeded shows them.",
      );
    }
    if (!flags.yes && !this.canAsk(flags, output)) {
      throw usageError("A refund needs --yes where nobody can be asked. Nothing was refunded.");
    }
    const idempotencyKey = checkedIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    checkedPaymentId(args.id, "<id>");
    const settings = this.settings(flags);
    const refunded = await this.withClient(flags, settings, async ({ payments }) => {
      const payment = await payments.retrieve(id);
      this.note(`${paymentText(payment, this.errorStyle)}\n`, output);
      if (!flags.yes && !(await this.confirmed(payment))) {
        throw new CommandError(exitCodes.saidNo, "Canceled; nothing was refunded.");
      }
      this.noteTarget(settings, output);
      using interruption = interruptible({ asked: !flags.yes });
      return await payments.refund(id, { idempotencyKey, signal: interruption.signal });
    });
    await this.showPayment(refunded, output);
  }

  /** In live mode the amount is typed: nobody refunds real money by pressing Enter. */
  private async confirmed(payment: Payment): Promise<boolean> {
    const { confirm, input } = await import("@inquirer/prompts");
    const context = { output: process.stderr };
    const amount = money(payment.amount, payment.currency);
    if (!payment.livemode) {
      return await confirm({ message: `Refund ${amount}?`, default: false }, context);
    }
    const message = `Live mode. Type the amount, ${amount}, to refund it:`;
    const typed = (await input({ message }, context)).trim().toUpperCase();
    return typed === amount || typed === amount.split(" ", 1)[0];
  }
}
