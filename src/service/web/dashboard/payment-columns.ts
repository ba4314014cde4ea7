import type { Payment } from "../../../contract/payment.ts";
import { html } from "../design/html.ts";
import { renderAmount, renderCard, renderStatus, renderTime } from "./elements.ts";
import { createTextColumn, type Column } from "./table-elements.ts";
import { describeDecline } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** The columns of a list of payments, in the order of what an operator looks for first. */
export function buildPaymentColumns(visit: Visit): Column<Payment>[] {
  return [
    {
      title: "Amount",
      isNumber: true,
      cell: ({ id, ...payment }) =>
        html`<a href="${visit.addressOf(`/payments/${id}`)}"
          >${renderAmount(payment)}<span class="visually-hidden"> ${id}</span></a
        >`,
    },
    {
      title: "Status",
      cell: ({ status, decline_code: code, decline_message: message }) =>
        html`${renderStatus(status)}
        ${code && html`<span class="reason" title="${message}">${describeDecline(code)}</span>`}`,
    },
    { title: "Created", cell: ({ created }) => renderTime(created) },
    createTextColumn("Customer", ({ customer }) => customer.email || customer.name, {
      beneath: createTextColumn("Description", ({ description }) => description),
    }),
    { title: "Card", cell: ({ card }) => card && renderCard(card) },
  ];
}
