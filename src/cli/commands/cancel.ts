import { paymentResource } from "../output/payment-resource.ts";
import { chosenPaymentArg, writeFlags, yesFlag } from "../flags/flags.ts";
import { canceling, changePayment } from "../program/change-payment.ts";
import { BaseCommand } from "../program/base-command.ts";
import { type CommandFacts, writeExits, promptExits } from "../output/command-facts.ts";

export default class Cancel extends BaseCommand {
  static override summary = "Cancel a payment whose page is open.";
  static override description =
    "The payment becomes failed with the decline code canceled, and its page says so. A payment without a page, or one that has ended, cannot be canceled.";
  static override examples = [
    "payments cancel",
    "payments cancel pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments cancel pay_0199c5a8-7f3e-7abc-9def-0123456789ab --yes --json | jq .status",
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
        "the payment has no open page, or the idempotency key belongs to another request, or to one that is still being processed",
    },
    output: "POST /v1/payments/:id/cancel",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel);
    await changePayment(this, { typedId: args.id, flags }, canceling, ({ payments }, id, write) =>
      payments.cancel(id, write),
    );
  }
}
