import * as Flags from "@oclif/core/flags";
import { requestMethods } from "../../../contract/field-values.ts";
import { paymentResource } from "../../output/payment-resource.ts";
import { requestResource } from "../../output/request-resource.ts";
import { checkId, checkIdempotencyKey } from "../../flags/checked-values.ts";
import { readFlags, textFlag } from "../../flags/flags.ts";
import { createdFlags, pageFlags, parseStatuses, statusesFlag } from "../../flags/list-flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { showPages } from "../../program/show-pages.ts";
import { describeReading } from "../../output/command-facts.ts";

export default class LogsList extends BaseCommand {
  static override summary = "List requests that wrote, were refused or failed, newest first.";
  static override examples = [
    "payments logs list --status 4xx,5xx --created-gte 24h",
    "payments logs list --payment pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments logs list --all -o csv --fields id,created,status,error.code",
    "payments logs list --status 5xx --json | jq -r '.data[].id'",
  ];
  static override flags = {
    ...statusesFlag,
    method: Flags.option({ summary: "Only requests with this method.", options: requestMethods })(),
    payment: textFlag("Only requests that made or named this payment.", "<id>"),
    "idempotency-key": textFlag("Only requests with this idempotency key.", "<key>"),
    ...createdFlags,
    ...pageFlags(requestResource),
    ...readFlags(requestResource),
  };
  static facts = describeReading("GET /v1/requests");

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(LogsList);
    const { "idempotency-key": key } = flags;
    const filters = {
      status: parseStatuses(flags.status),
      method: flags.method,
      payment: checkId(paymentResource, flags.payment, "--payment"),
      idempotency_key: key === undefined ? undefined : checkIdempotencyKey(key),
    };
    await showPages(
      this,
      requestResource,
      { flags, metadata, filters },
      ({ requests }, query, total) => requests.pages(query, total),
    );
  }
}
