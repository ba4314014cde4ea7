import type { Log } from "../../runtime/log.ts";
import type { WebhookSettings } from "../ports/ports.ts";
import type { TrustedProxies } from "../web/dashboard/invitation-page.ts";

export type ServiceSettings = {
  /** `sqlite:FILE`, or a `postgres://` URL, which may hold a password. */
  database: string;
  /** How long a payment that will be declined stays pending. */
  processingTimeMs?: number;
};

/**
 * A card network that moves money: an adapter (docs/network-protocol.md), which may take `timeoutMs` for an
 * answer, 10 s by default; or an account at Stripe, which needs the package `stripe` installed. `allowHttp` sends card
 * numbers over plain http to another machine, where others on the way could read them; by default that is refused.
 */
export type NetworkSettings =
  | { url: string; secret: string; timeoutMs?: number; allowHttp?: boolean }
  | { stripe: { secretKey: string; baseUrl?: string; allowHttp?: boolean } };

export type ServeSettings = ServiceSettings & {
  host: string;
  /** 0: any free one. */
  port: number;
  /** A port of their own for metrics and probes, 0: any free one; without it they are on `port`. */
  metricsPort?: number;
  /** The address of the service from outside, if that is not the address it listens on. */
  publicUrl?: string;
  /** How long a payment page can be paid; 24 h by default. */
  hppExpiryMs?: number;
  /** How webhooks are delivered, and for how long events are stored; 30 days by default. */
  webhooks?: Partial<WebhookSettings>;
  /** For how long requests are logged; 7 days by default, 0: not at all. */
  requestLogMs?: number;
  /** Requests a second that each key may make; 0, the default: any number. */
  rateLimit?: number;
  /** The dashboard for operators; without it there is none. */
  dashboard?: {
    /**
     * Serves it over plain http to other machines, where others on the way could take over a session. By default it is
     * refused, unless `publicUrl` is https, or it and `host` are of this machine only.
     */
    allowHttp?: boolean;
    /** Proxies whose `X-Forwarded-For` says where a request comes from; none by default. */
    trustedProxies?: TrustedProxies;
    /** Of a sandbox, whose database no command reaches: the account that has the published keys. */
    sandboxAccount?: string;
  };
  /** The card network of live payments; by default the built-in simulator, which moves no money. */
  network?: NetworkSettings;
  /** Of the program, for its metrics and the card network. */
  version?: string;
  log?: Log;
};
