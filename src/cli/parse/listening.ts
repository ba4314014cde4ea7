import { allEventTypes, type Subscription } from "../../contract/event-values.ts";
import { usageError } from "../errors/command-error.ts";
import { checkName } from "./checked-values.ts";
import { parseTime } from "./point-in-time.ts";
import { parseSubscription } from "./endpoint-request.ts";

type Listening = {
  events: Subscription;
  from: { since?: number; only_new?: boolean };
  forwardTo: URL | undefined;
  /** The name of the listener. */
  name: string;
};

type Flags = {
  events?: string[] | undefined;
  since?: string | undefined;
  "only-new": boolean;
  "forward-to"?: string | undefined;
  name: string;
};

/** Parses the flags of `payments listen`; ages count back from `nowMs`. */
export function parseListenFlags(flags: Flags, nowMs: number): Listening {
  const { events = [allEventTypes], since, name, "forward-to": url } = flags;
  return {
    events: parseSubscription(events),
    from: {
      ...(since !== undefined && { since: parseTime(since, "--since", nowMs) }),
      ...(flags["only-new"] && { only_new: true }),
    },
    forwardTo: url === undefined ? url : parseForwardUrl(url),
    name: checkName(name, "ci"),
  };
}

function parseForwardUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw usageError(
    "--forward-to must be an http or https address without user name or password.",
    "For example --forward-to http://localhost:3000/webhooks",
  );
}
