import { BaseCommand } from "../base/base-command.ts";
import { idArg, readFlags } from "../parse/flags.ts";
import { checkId } from "../parse/checked-values.ts";
import { describeSearch } from "../parse/search-text.ts";
import { paymentResource } from "../output/payment-resource.ts";

export default class Get extends BaseCommand {
  static override summary = "Show one payment.";
  static override examples = [
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r .status",
  ];
  static override args = { id: idArg(paymentResource) };
  static override flags = readFlags(paymentResource);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    const output = this.parseOutput(flags);
    const id = checkId(paymentResource, args.id, "<id>", describeSearch(args.id));
    const payment = await this.read(flags, async ({ payments }) => payments.retrieve(id));
    await this.showPayment(payment, output);
  }
}
