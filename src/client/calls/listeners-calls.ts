import type * as z from "zod";
import type {
  Delivery,
  reportDeliveryBody,
  startListenerBody,
  takeDeliveriesBody,
  ListenerDeliveryList,
} from "../../contract/delivery.ts";
import { routes } from "../../contract/routes.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { request, type CallOptions, type Connection } from "../request.ts";

/** What `payments listen` asks of an endpoint without an address. */
export function listenerCalls(connection: Connection) {
  return {
    /** POST /v1/webhook_endpoints/{id}/start: where it goes on from. */
    start: async (
      id: string,
      body: z.input<typeof startListenerBody> = {},
      { signal }: CallOptions = {},
    ): Promise<WebhookEndpoint> =>
      request(connection, routes.startListener, { params: { id }, body, signal }),

    /** POST /v1/webhook_endpoints/{id}/take: its deliveries, as soon as there are any. */
    take: async (
      id: string,
      body: z.input<typeof takeDeliveriesBody> = {},
      { signal }: CallOptions = {},
    ): Promise<ListenerDeliveryList> =>
      request(connection, routes.takeDeliveries, { params: { id }, body, signal }),

    /** POST /v1/webhook_endpoints/{id}/report: how one of them went. */
    report: async (
      id: string,
      body: z.input<typeof reportDeliveryBody>,
      { signal }: CallOptions = {},
    ): Promise<Delivery> =>
      request(connection, routes.reportDelivery, { params: { id }, body, signal }),
  };
}
