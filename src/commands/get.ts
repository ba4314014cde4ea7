import { BaseCommand } from "../base-command.ts";
import { connectionFlags, jsonFlag, paymentIdArg } from "../flags.ts";
import { paymentText } from "../output/payment-text.ts";

export default class Get extends BaseCommand {
  static override summary = "Show one payment.";
  static override examples = [
    "<%= config.bin %> get pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "<%= config.bin %> get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r .status",
  ];
  static override args = { id: paymentIdArg };
  static override flags = { ...jsonFlag, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    const settings = this.settings(flags);
    const payment = await this.withClient(flags, settings, async ({ payments }) =>
      payments.retrieve(args.id),
    );
    this.show(payment, flags, () => paymentText(payment, this.style));
  }
}
