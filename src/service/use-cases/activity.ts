import type { Activity, Actor } from "../../contract/activity.ts";
import { defaultPageSize } from "../../contract/page-limits.ts";
import { afterEveryId } from "../domain/object-id.ts";
import type { Ports } from "./ports.ts";

const keptDays = 365;
/** So few that nobody who writes meanwhile waits for long. */
const forgottenAtOnce = 500;

/** What is done in an account, in one of its modes or in neither. */
export type Deed = {
  accountId: string;
  livemode?: boolean;
  action: Activity["action"];
  subject: Activity["subject"];
  detail?: string;
};

/** What is kept of who does something: nothing where the service does it on its own. */
export function recorded(ports: Ports, actor: Actor | undefined, deed: Deed): Activity[] {
  if (!actor) return [];
  const { accountId, livemode = null, action, subject, detail = null } = deed;
  return [
    {
      id: ports.ids.activity(),
      object: "activity",
      account: accountId,
      livemode,
      actor,
      action,
      subject,
      detail,
      created: Math.floor(ports.clock() / 1000),
    },
  ];
}

export type ActivityPage = {
  limit?: number | undefined;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
};

/** What was done in an account, newest first in both directions. */
export async function listActivity(
  { store }: Ports,
  accountId: string,
  { limit = defaultPageSize, startingAfter, endingBefore }: ActivityPage,
): Promise<{ data: Activity[]; hasMore: boolean }> {
  const { items, hasMore } = await store.listActivity(accountId, {
    below: startingAfter ?? afterEveryId("act_"),
    above: endingBefore ?? "",
    direction: endingBefore === undefined ? "forward" : "backward",
    limit,
  });
  return { data: items, hasMore };
}

/** Forgets what was done more than a year ago, and links and sessions that are over, or until it is stopped. */
export async function forgetActivity(ports: Ports, signal?: AbortSignal): Promise<void> {
  const { store, clock } = ports;
  const before = Math.floor(clock() / 1000) - keptDays * 24 * 60 * 60;
  await untilFew(async () => store.forgetSessions(clock(), forgottenAtOnce), signal);
  for (const { id } of await store.listAccounts()) {
    await untilFew(async () => store.forgetActivity(id, before, forgottenAtOnce), signal);
  }
}

async function untilFew(forget: () => Promise<number>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted || (await forget()) < forgottenAtOnce) return;
  }
}
