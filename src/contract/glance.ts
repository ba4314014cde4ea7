import type { KeyAccount } from "./key-account.ts";
import type { PaymentList } from "./list.ts";
import type { Payment } from "./payment.ts";
import { paymentIdPattern, paymentStatuses } from "./payment-values.ts";

// A quick look at an answer, for a process that reads one or two and ends: zod takes longer to load
// than the answer to arrive. What passes here passes the contract; what does not, the contract judges.

type Check = (value: unknown) => boolean;
type Shape<Of> = { [Field in keyof Of]-?: Check };

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isTimeOrNull: Check = (value) => value === null || isInteger(value);

const card: Shape<NonNullable<Payment["card"]>> = {
  brand: isText,
  last4: isText,
  exp_month: isInteger,
  exp_year: isInteger,
  country: isText,
};
const customer: Shape<Payment["customer"]> = { email: isText, name: isText };
const payment: Shape<Payment> = {
  id: (id) => typeof id === "string" && paymentIdPattern.test(id),
  object: (object) => object === "payment",
  amount: (amount) => isInteger(amount) && Number(amount) >= 0,
  currency: isText,
  status: (status) => paymentStatuses.some((known) => known === status),
  description: isTextOrNull,
  card: (value) => value === null || has(card, value),
  customer: (value) => has(customer, value),
  metadata: (value) => isObject(value) && Object.values(value).every(isText),
  decline_code: isTextOrNull,
  decline_message: isTextOrNull,
  redirect_url: isTextOrNull,
  refunded_at: isTimeOrNull,
  succeeded_at: isTimeOrNull,
  failed_at: isTimeOrNull,
  created: isInteger,
  livemode: isFlag,
};
const list: Shape<PaymentList> = {
  object: (object) => object === "list",
  url: isText,
  data: (data) => Array.isArray(data) && data.every(isPayment),
  has_more: isFlag,
};
const account: Shape<KeyAccount> = {
  id: isText,
  object: (object) => object === "account",
  name: isText,
  default_version: isText,
  livemode: isFlag,
};

/** The names of a Payment's fields; one inside the card or the customer is written `card.last4`. */
export const paymentFields = Object.keys(payment).flatMap((name) => {
  const inner = name === "card" ? card : name === "customer" ? customer : undefined;
  return inner ? Object.keys(inner).map((field) => `${name}.${field}`) : [name];
});

export function isPayment(value: unknown): value is Payment {
  return has(payment, value);
}

export function isPaymentList(value: unknown): value is PaymentList {
  return has(list, value);
}

export function isAccount(value: unknown): value is KeyAccount {
  return has(account, value);
}

function has(shape: Record<string, Check>, value: unknown): boolean {
  return isObject(value) && Object.keys(shape).every((field) => shape[field]?.(value[field]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
