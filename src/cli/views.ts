import type { ChalkInstance } from "chalk";
import type { Payment } from "../contract/payment.ts";
import { paymentKind, type Kind } from "./input/kinds.ts";
import type { TableLayout } from "./output/field-text.ts";

/** How a kind of the API's objects is shown; what that takes is loaded only where words are asked for. */
export type View<Item> = {
  kind: Kind;
  load: () => Promise<{
    text: (item: Item, style: ChalkInstance, fields?: readonly string[]) => string;
    table: (items: Item[], layout: TableLayout) => string;
  }>;
};

export const paymentView: View<Payment> = {
  kind: paymentKind,
  load: async () => {
    const { paymentText, paymentsTable } = await import("./output/payment-text.ts");
    return { text: paymentText, table: paymentsTable };
  },
};
