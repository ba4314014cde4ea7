import type { DeliveryList } from "../../contract/delivery.ts";
import type { Event, EventList, ListEventsQuery } from "../../contract/event.ts";
import { routes } from "../../contract/routes.ts";
import { reverseIfBackward, listPages } from "../list-pages.ts";
import { request, type CallOptions, type Connection } from "../request.ts";
import { write, type WriteOptions } from "../write.ts";

/** What is asked about events. */
export function eventCalls(connection: Connection) {
  const events = {
    /** GET /v1/events/{id} */
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<Event> =>
      request(connection, routes.getEvent, { params: { id }, signal }),

    /** GET /v1/events: one page, newest first. */
    list: async (query: ListEventsQuery = {}, { signal }: CallOptions = {}): Promise<EventList> =>
      request(connection, routes.listEvents, { query, signal }),

    /** POST /v1/events/{id}/resend: to one endpoint, or to all that are enabled; the deliveries that were queued. */
    resend: async (
      id: string,
      body: { endpoint?: string | undefined } = {},
      options: WriteOptions = {},
    ): Promise<DeliveryList> =>
      write(connection, routes.resendEvent, { params: { id }, body }, options),

    /** Page after page from `query` on, up to `total` events, as `payments.pages`. */
    pages: (
      query: ListEventsQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<EventList> =>
      listPages(query, async (next) => events.list(next, options), total),

    /** Every event of those pages, in the order of travel. */
    all: (query: ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<Event> =>
      reverseIfBackward(events.pages(query, undefined, options), query),
  };
  return events;
}
