/** A request with an event. It is signed with each of `secrets`, the newest first. */
export type Webhook = {
  url: string;
  /** Whether it may go over plain http. */
  allowHttp: boolean;
  secrets: readonly string[];
  eventId: string;
  body: string;
  nowMs: number;
};

/** `answer` is the beginning of the endpoint's answer, as it may be stored; null where there was none. */
export type SendOutcome =
  | { outcome: "delivered"; status: number; error: null; answer: string }
  | {
      outcome: "failed";
      /** Null where there was no answer. */
      status: number | null;
      /** The reason, in a sentence for the operator of the endpoint. */
      error: string;
      answer: string | null;
      retryAfterMs?: number;
      /** The endpoint has answered 410 and is disabled. */
      isGone?: boolean;
    };

export type WebhookSender = {
  /** Makes one attempt; never rejects. */
  send(webhook: Webhook): Promise<SendOutcome>;
  /** Also aborts attempts under way. */
  close(): Promise<void>;
};
