import { describe, expect, test } from "vitest";
import { UnknownFields } from "../../../src/cli/errors/command-error.ts";
import { parseFields } from "../../../src/cli/flags/checked-values.ts";
import { eventResource } from "../../../src/cli/output/event-resource.ts";
import { paymentResource } from "../../../src/cli/output/payment-resource.ts";
import type { ResourceName } from "../../../src/cli/output/resource.ts";
import { explainUnknownFields } from "../../../src/cli/help/suggest.ts";
import { someKeys } from "../../testkit/temporary.ts";

/** Explains wrong `--fields`; returns the names and the suggestion, without the list of fields. */
function explain(fields: string, kind: ResourceName = paymentResource): Explained {
  const { message, hint = "" } = explainUnknownFields(explainText(fields, kind));
  const [, names] = /^Unknown fields? in --fields: (.*)\.$/s.exec(message) ?? [];
  const [, meant] = /^(.*?) ?There are id, .*, and [a-z.]*metadata\.KEY\.$/s.exec(hint) ?? [];
  return { names, meant };
}

type Explained = { names: string | undefined; meant: string | undefined };

function explainText(fields: string, kind: ResourceName): UnknownFields {
  try {
    parseFields(fields, kind);
  } catch (error) {
    if (error instanceof UnknownFields) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

describe("a wrong name in --fields is repeated with a suggestion:", () => {
  test.each([
    ["id,amonut", "amonut", "Did you mean amount?"],
    ["id,succeded_at", "succeded_at", "Did you mean succeeded_at?"],
    ["card.lats4", "card.lats4", "Did you mean card.last4?"],
    ["email", "email", "Did you mean customer.email?"],
    ["metadta.order_id", "metadta.order_id", "Did you mean metadata.order_id?"],
    ["metadta.Order 1", "number 1", "Did you mean metadata.KEY?"],
    ["amonut,id,crated", "amonut, crated", "Did you mean amount? Did you mean created?"],
    ["Amount", "number 1", "Did you mean amount?"],
    ["foo", "foo", ""],
    ["id,,amount", "number 2", ""],
  ])("%s", (fields, names, meant) => {
    expect(explain(fields)).toEqual({ names, meant });
  });
});

describe("a wrong name of an event's field, too, whose payment lies deeper:", () => {
  test.each([
    ["amount", "amount", "Did you mean data.object.amount?"],
    ["card.lats4", "card.lats4", "Did you mean data.object.card.last4?"],
    ["sequnce", "sequnce", "Did you mean sequence?"],
    ["metadta.order_id", "metadta.order_id", "Did you mean data.object.metadata.order_id?"],
    ["tpye", "tpye", "Did you mean type?"],
  ])("%s", (fields, names, meant) => {
    expect(explain(fields, eventResource)).toEqual({ names, meant });
  });
});

test.each([
  someKeys.live,
  someKeys.live.slice(12),
  "4242424242424242",
  "4242.4242.4242.4242",
  "hunter2",
  "correct_horse_battery_staple",
  "correct.horse",
  "postgres://payments:hunter@db/payments",
  "customer99421",
  `amount${someKeys.test}`,
])("what may be a secret is not repeated, only its place: %s", (secret) => {
  expect(explain(`id,${secret}`)).toMatchObject({ names: "number 2" });
});
