import type { FastifyInstance, FastifyRequest } from "fastify";
import type { DeliveryDetails, DeliveryTry } from "../../../contract/delivery.ts";
import type { Service } from "../../use-cases/service.ts";
import { html } from "../design/html.ts";
import {
  renderBadge,
  renderCopyableId,
  renderDeliveryBadge,
  renderFacts,
  renderTime,
} from "./elements.ts";
import {
  createNumberColumn,
  createTimeColumn,
  renderTable,
  type Column,
} from "./table-elements.ts";
import { linkToEndpoint, renderResponse } from "./endpoint-elements.ts";
import { sendView, type View } from "./frame.ts";
import { describeAnswer } from "./value-words.ts";
import { accountPath, type Visit } from "./visit.ts";

type WithDelivery = FastifyRequest<{ Params: { id: string; delivery: string } }>;

/** One delivery to an endpoint: its attempts, and the endpoint's responses. */
export function registerDeliveryPage(app: FastifyInstance, service: Service): void {
  app.get(
    `${accountPath}/webhooks/:id/deliveries/:delivery`,
    async ({ visit, params }: WithDelivery, reply) => {
      const { id, delivery } = params;
      const found = await service.getDelivery(visit.scope, { id, delivery });
      return sendView(reply, renderDelivery(visit, id, found));
    },
  );
}

export function renderDelivery(visit: Visit, endpointId: string, delivery: DeliveryDetails): View {
  const { id, event, type, attempts, next_attempt_at: next, created, tries } = delivery;
  return {
    title: `Delivery of ${type}`,
    section: "webhooks",
    back: linkToEndpoint(visit, endpointId),
    content: html`<div class="sheet">
        ${renderFacts([
          ["Status", renderDeliveryBadge(delivery)],
          ["Event", renderCopyableId(event)],
          ["Attempts", String(attempts)],
          ["Next attempt", renderTime(next)],
          ["Created", renderTime(created)],
          ["ID", renderCopyableId(id)],
        ])}
      </div>
      <div class="steps whole">
        <h2>Attempts</h2>
        ${
          tries.length > 0
            ? html`<p class="quiet-text">
                  The last 20 attempts at most, newest first. Responses are cut off where they are
                  long.
                </p>
                ${renderTable("Attempts", findUsedColumns(tries), tries.toReversed())}`
            : html`<p class="quiet-text">No attempts yet, or none is stored.</p>`
        }
      </div>`,
  };
}

/** The columns that have something to show: one of texts would take much room for nothing. */
function findUsedColumns(tries: readonly DeliveryTry[]): Column<DeliveryTry>[] {
  return columns.filter(({ isText, cell }) => !isText || tries.some((each) => cell(each)));
}

const columns: Column<DeliveryTry>[] = [
  createTimeColumn("Time", ({ created }) => created),
  {
    title: "Status",
    cell: ({ status }) => {
      if (status === null) return renderBadge("No response", "wrong");
      return renderBadge(String(status), status >= 200 && status < 300 ? "good" : "wrong");
    },
  },
  createNumberColumn("Duration", ({ duration_ms: ms }) => (ms === null ? "" : `${ms} ms`)),
  {
    title: "Error",
    isText: true,
    cell: ({ status, error }) => {
      if (error === null) return null;
      const text = describeAnswer(error, null);
      return text !== describeAnswer(null, status) && html`<span class="entire">${text}</span>`;
    },
  },
  {
    title: "Response",
    isText: true,
    hasLabel: true,
    cell: ({ answer }) => answer && renderResponse(answer),
  },
];
