import { accountParameters, accountTexts } from "../../src/contract/account.ts";
import { deliveryParameters, deliveryTexts } from "../../src/contract/delivery.ts";
import { errorTexts } from "../../src/contract/error.ts";
import { eventParameters, eventTexts } from "../../src/contract/event.ts";
import { paymentListParameters, paymentListTexts } from "../../src/contract/list-payments.ts";
import { listParameters, listTexts } from "../../src/contract/list.ts";
import { listenerTexts } from "../../src/contract/listener.ts";
import { historyTexts } from "../../src/contract/history.ts";
import { requestParameters, requestTexts } from "../../src/contract/logged-request.ts";
import { newPaymentTexts, paymentTexts } from "../../src/contract/payment.ts";
import { endpointTexts } from "../../src/contract/webhook-endpoint.ts";

/** The texts of all resources: of a schema by its name, of a field by its path or by its last name. */
const texts: Readonly<Record<string, string>> = {
  ...listTexts,
  ...errorTexts,
  ...paymentTexts,
  ...newPaymentTexts,
  ...paymentListTexts,
  ...accountTexts,
  ...eventTexts,
  ...deliveryTexts,
  ...listenerTexts,
  ...endpointTexts,
  ...historyTexts,
  ...requestTexts,
};

export function describeSchema(name: string): string {
  return find([name]);
}

/** By the whole path, such as `Payment.customer.email`; without the schema's name; or by the field's name. */
export function describeField(path: string): string {
  const [, ...names] = path.split(".");
  return find([path, names.join("."), names.at(-1) ?? ""]);
}

function find(keys: string[]): string {
  const text = keys.map((key) => texts[key]).find((each) => each !== undefined);
  if (text === undefined) throw new Error(`The contract's texts lack ${keys.join(", ")}.`);
  return text;
}

type ParameterText = { text: string; example?: unknown };

/** The texts of query parameters. One that means something else on a path stands there with it. */
const parameters: Readonly<Record<string, ParameterText>> = {
  ...listParameters,
  ...paymentListParameters,
  ...accountParameters,
  ...eventParameters,
  ...deliveryParameters,
  ...requestParameters,
};

export function describeParameter(path: string, name: string): ParameterText {
  const found = parameters[`${path} ${name}`] ?? parameters[name];
  if (!found) throw new Error(`The contract's texts lack the parameter ${name} of ${path}.`);
  return found;
}
