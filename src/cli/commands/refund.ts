import { chosenPaymentArg, writeFlags, yesFlag } from "../flags/flags.ts";
import { usageError } from "../output/command-error.ts";
import { type CommandFacts, promptExits, writeExits } from "../output/command-facts.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { BaseCommand } from "../program/base-command.ts";
import { changePayment, refunding } from "../program/change-payment.ts";
import {
  planJson,
  refundFlags,
  resultJson,
  runJson,
  writeReason,
} from "../refunds/refund-flags.ts";

export default class Refund extends BaseCommand {
  static override summary = "Refund a succeeded payment in full, or those of a file.";
  static override description =
    "With --from it looks each payment up, shows the plan, asks once, and prints a result a line. The same command line again goes on with it, and refunds nothing twice. With JSON the last line is the sum of the run.";
  static override examples = [
    "payments refund",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments refund pay_0199c5a8-7f3e-7abc-9def-0123456789ab --yes --json | jq .status",
    "payments refund --from incident.csv --dry-run",
    'payments refund --from incident.csv --yes --expect-total 1234.00EUR --reason "Charged twice"',
  ];
  static override args = { id: chosenPaymentArg };
  static override flags = { ...refundFlags, ...yesFlag, ...writeFlags(paymentResource) };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: { with: "idempotency-key" },
    exits: {
      ...writeExits,
      ...promptExits,
      not_as_expected:
        "some payments of --from were refused, or cannot be refunded; 4 where one is above the key's limit",
      conflict:
        "the payment is not refundable, already refunded, or declined by the card network, or the idempotency key belongs to another request, or to one that is still being processed",
    },
    output: "POST /v1/payments/:id/refund",
    variants: [
      { flag: "from", writes: "payments", repeatable: "always", outputs: [resultJson, runJson] },
      { flag: "dry-run", writes: "nothing", repeatable: "always", outputs: [planJson] },
    ],
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Refund);
    const { from, reason } = flags;
    if (from !== undefined) {
      if (args.id !== undefined) throw usageError("Give either an id or --from. Nothing was sent.");
      const { refundFromFile } = await import("../program/refund-from-file.ts");
      await refundFromFile(this, { ...flags, from });
      return;
    }
    const given = reason === undefined ? {} : { reason: writeReason(reason) };
    await changePayment(this, { typedId: args.id, flags }, refunding, ({ payments }, id, write) =>
      payments.refund(id, { ...write, ...given }),
    );
  }
}
