import type * as z from "zod";
import type { DeliveryList, ListDeliveriesQuery } from "../../contract/delivery.ts";
import { routes } from "../../contract/routes.ts";
import type {
  createEndpointBody,
  DeletedEndpoint,
  EndpointList,
  ListEndpointsQuery,
  rollEndpointBody,
  updateEndpointBody,
  WebhookEndpoint,
} from "../../contract/webhook-endpoint.ts";
import { listPages } from "../list-pages.ts";
import { request, type CallOptions, type Connection } from "../request.ts";
import { write, type WriteOptions } from "../write.ts";

export type CreateEndpoint = z.input<typeof createEndpointBody>;
export type UpdateEndpoint = z.input<typeof updateEndpointBody>;
export type RollEndpoint = z.input<typeof rollEndpointBody>;

/** What is asked about webhook endpoints. */
export function endpointCalls(connection: Connection) {
  const endpoints = {
    /** POST /v1/webhook_endpoints: the endpoint, with its secret. */
    create: async (body: CreateEndpoint, options: WriteOptions = {}): Promise<WebhookEndpoint> =>
      write(connection, routes.createEndpoint, { body }, options),

    /** GET /v1/webhook_endpoints/{id} */
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<WebhookEndpoint> =>
      request(connection, routes.getEndpoint, { params: { id }, signal }),

    /** GET /v1/webhook_endpoints: one page, newest first. */
    list: async (
      query: ListEndpointsQuery = {},
      { signal }: CallOptions = {},
    ): Promise<EndpointList> => request(connection, routes.listEndpoints, { query, signal }),

    /** POST /v1/webhook_endpoints/{id}: what is left out stays as it is. */
    update: async (
      id: string,
      body: UpdateEndpoint,
      options: WriteOptions = {},
    ): Promise<WebhookEndpoint> =>
      write(connection, routes.updateEndpoint, { params: { id }, body }, options),

    /** POST /v1/webhook_endpoints/{id}/roll: the endpoint, with its new secret. */
    roll: async (
      id: string,
      body: RollEndpoint = {},
      options: WriteOptions = {},
    ): Promise<WebhookEndpoint> =>
      write(connection, routes.rollEndpoint, { params: { id }, body }, options),

    /** DELETE /v1/webhook_endpoints/{id} */
    delete: async (id: string, { signal }: CallOptions = {}): Promise<DeletedEndpoint> =>
      request(connection, routes.deleteEndpoint, { params: { id }, signal }),

    /** GET /v1/webhook_endpoints/{id}/deliveries: one page, newest first. */
    deliveries: async (
      id: string,
      query: ListDeliveriesQuery = {},
      { signal }: CallOptions = {},
    ): Promise<DeliveryList> =>
      request(connection, routes.listDeliveries, { params: { id }, query, signal }),

    /** Page after page of them, up to `total` deliveries. */
    deliveryPages: (
      id: string,
      query: ListDeliveriesQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<DeliveryList> =>
      listPages(query, async (next) => endpoints.deliveries(id, next, options), total),
  };
  return endpoints;
}
