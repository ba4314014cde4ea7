import { trustHtml, type Html } from "../design/html.ts";
import type { NothingView, OutcomeView } from "./page-view.ts";

const circle = '<circle cx="24" cy="24" r="22" fill="none"/>';
const clock = `${circle}<path d="M24 12v12l7 5"/>`;
const exclamation = `${circle}<path d="M24 13v14M24 34v.5"/>`;
/** The icon above the heading of a page without a form. */
export const outcomeIcons: Record<OutcomeView["state"] | NothingView["state"], Html> = {
  processing: renderIcon(
    '<circle cx="24" cy="24" r="20" class="track"/><path d="M24 4a20 20 0 0 1 20 20"/>',
  ),
  at_bank: renderIcon('<path d="M3 18 24 4l21 14M8 18v20m11-20v20m10-20v20m11-20v20M3 44h42"/>'),
  returned: renderIcon(clock),
  overdue: renderIcon(clock),
  paid: renderIcon(`${circle}<path d="m15 25 6 6 12-14"/>`),
  declined: renderIcon(`${circle}<path d="m17 17 14 14m0-14L17 31"/>`),
  canceled: renderIcon(`${circle}<path d="M15 24h18"/>`),
  expired: renderIcon(clock),
  gone: renderIcon(exclamation),
  refused: renderIcon(exclamation),
  unavailable: renderIcon(exclamation),
};

function renderIcon(shape: string): Html {
  return trustHtml(
    `<svg aria-hidden="true" width="3em" height="3em" viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`,
  );
}
