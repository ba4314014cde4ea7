import { ConnectionError } from "../../client/errors.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import { WaitingCommand } from "../base/waiting-command.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkId } from "../parse/checked-values.ts";
import { idArg, readFlags } from "../parse/flags.ts";
import { waitFlags } from "../parse/payment-flags.ts";
import { describeSearch } from "../parse/search-text.ts";
import { parseDuration } from "../parse/time.ts";
import { parseWaitFlags } from "../parse/waiting.ts";

export default class Get extends WaitingCommand {
  static override summary = "Show one payment, now or once its outcome is known.";
  static override examples = [
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r .status",
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --expect succeeded --timeout 2m",
  ];
  static override args = { id: idArg(paymentResource) };
  static override flags = {
    ...waitFlags("How long to wait. Default: 30s."),
    ...readFlags(paymentResource),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    const output = this.parseOutput(flags);
    const waiting = parseWaitFlags(flags);
    // One attempt has its own time; with its retries it must not pass the time to wait.
    const requestTimeoutMs = parseDuration(flags["request-timeout"], "--request-timeout");
    const id = checkId(paymentResource, args.id, "<id>", describeSearch(args.id));
    // A payment that was read before Ctrl-C is still printed; a single read just ends.
    using interruption = waiting.waits ? watchInterruption({ hasPrompted: false }) : undefined;
    const signal = interruption?.signal;
    await this.read(flags, async (client) => {
      const reading = client.payments.retrieve(id, { signal });
      const payment = waiting.waits
        ? await withTimeout(reading, Math.max(waiting.timeoutMs, requestTimeoutMs), throwLate)
        : await reading;
      const announce = async () => (waiting.waits ? this.notePage(payment, output) : undefined);
      await this.showOutcome(client, payment, { waiting, output, signal, announce });
    });
  }
}

function throwLate(): never {
  throw new ConnectionError("The service did not answer in the time to wait.", undefined);
}
