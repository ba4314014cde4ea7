import { paymentResource } from "../output/payment-resource.ts";
import { chosenPaymentArg, writeFlags, yesFlag } from "../flags/flags.ts";
import { refunding } from "../prompts/payment-change.ts";
import { BaseCommand } from "../program/base-command.ts";
import { changePayment } from "../program/change-payment.ts";
import { type CommandFacts, writeExits, promptExits } from "../output/command-facts.ts";

export default class Refund extends BaseCommand {
  static override summary = "Refund a succeeded payment in full.";
  static override examples = [
    "payments refund",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab --yes --json | jq .status",
  ];
  static override args = { id: chosenPaymentArg };
  static override flags = { ...yesFlag, ...writeFlags(paymentResource) };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: { with: "idempotency-key" },
    exits: {
      ...writeExits,
      ...promptExits,
      conflict:
        "the payment is not refundable, already refunded, or declined by the card network, or the idempotency key belongs to another request",
    },
    output: "POST /v1/payments/:id/refund",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Refund);
    await changePayment(this, { typedId: args.id, flags }, refunding, ({ payments }, id, write) =>
      payments.refund(id, write),
    );
  }
}
