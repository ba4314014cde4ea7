/** A request with an event, to be signed with one secret, or while an old one still signs with the newer and then the older. */
export type Webhook = {
  url: string;
  /** Whether it may go over plain http. */
  allowHttp: boolean;
  secrets: readonly string[];
  eventId: string;
  body: string;
  nowMs: number;
};

export type SendOutcome =
  | { outcome: "delivered"; status: number }
  | {
      outcome: "failed";
      /** Null where there was no answer. */
      status: number | null;
      /** Why, in a sentence for whoever runs the endpoint. */
      error: string;
      retryAfterMs?: number;
      /** The endpoint wants no more webhooks. */
      isGone?: boolean;
    };

export type WebhookSender = {
  /** Tries once; whatever happens is an outcome. */
  send(webhook: Webhook): Promise<SendOutcome>;
  /** Ends what is under way, too. */
  close(): Promise<void>;
};
