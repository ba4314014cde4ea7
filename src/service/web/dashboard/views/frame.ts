import { modes } from "../../../../contract/key.ts";
import { dashboardScript } from "../dashboard-script.ts";
import { dashboardStyle } from "../dashboard-style.ts";
import { html, toText, trustHtml, type Html } from "../html.ts";
import { home, navigation, type NavigationItem } from "../navigation.ts";
import type { Visit } from "../visit.ts";

/** What a page shows: `content` stands below its heading. */
export type View = {
  title: string;
  /** The heading, where it is more than the title as a text. */
  heading?: Html;
  /** The place of the navigation that the page belongs to. */
  place?: NavigationItem;
  content: Html;
};

// Whole, as the policy names them by their hashes.
const style = trustHtml(`<style>${dashboardStyle}</style>`);
const script = trustHtml(`<script>${dashboardScript}</script>`);

/** A whole HTML document, which needs no other file and works without its script. */
export function renderPage(view: View, visit: Visit | undefined): string {
  const where = visit ? ` · ${visit.account.name} · ${visit.mode.toUpperCase()}` : "";
  return toText(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>${view.title}${where}</title>
          ${style}
        </head>
        <body>
          ${visit ? framed(view, visit) : alone(view)} ${script}
        </body>
      </html> `,
  );
}

/** A page of no account: for those who are not in yet, or nowhere. */
function alone({ title, content }: View): Html {
  return html`<main class="alone">
    <p class="product">Payments dashboard</p>
    <h1>${title}</h1>
    ${content}
  </main>`;
}

function framed({ title, heading, place, content }: View, visit: Visit): Html {
  return html`<a class="skip" href="#main">Skip to the page</a>
    <header>
      ${band(visit)}
      <div class="bar">
        <div>${accountSwitch(visit)} ${modeSwitch(visit, place)} ${person(visit)}</div>
      </div>
    </header>
    <div class="room">
      <nav class="places" aria-label="Pages">
        <ul>
          ${Object.entries(navigation)
            .filter(([, { needs }]) => visit.may(needs))
            .map(([name, each]) => link(visit.addressOf(each.path), each.title, name === place))}
        </ul>
      </nav>
      <main id="main" tabindex="-1">
        <h1>${heading ?? title}</h1>
        ${content}
      </main>
    </div>`;
}

/** Which mode it is, in a word and not by its colour alone. */
function band({ mode, movesMoney }: Visit): Html {
  const says = movesMoney
    ? "Real money moves here."
    : mode === "live"
      ? "Live data. The built-in simulator decides: no money moves."
      : "No money moves here.";
  return html`<div class="band ${mode}">
    <div>
      <p><strong>${mode.toUpperCase()}</strong> ${says}</p>
    </div>
  </div>`;
}

function accountSwitch(visit: Visit): Html {
  const { account, session, mode } = visit;
  if (session.accounts.length === 1) return html`<p class="account">${nameOf(account)}</p>`;
  return html`<details class="menu account">
    <summary><span class="unseen">Account: </span>${nameOf(account)}</summary>
    <ul aria-label="Accounts">
      ${session.accounts.map((each) =>
        link(
          visit.addressOf(navigation[home].path, { account: each, mode }),
          nameOf(each),
          each.id === account.id,
        ),
      )}
    </ul>
  </details>`;
}

/** The same place in the other mode. What a page is about belongs to one mode, so it leads to the list. */
function modeSwitch(visit: Visit, place: NavigationItem | undefined): Html {
  const { path } = navigation[place ?? home];
  return html`<nav class="modes" aria-label="Mode">
    <ul>
      ${modes.map((mode) =>
        link(
          visit.addressOf(path, { mode }),
          mode === "live" ? "Live" : "Test",
          mode === visit.mode,
        ),
      )}
    </ul>
  </nav>`;
}

function person({ session, ownAddressOf }: Visit): Html {
  return html`<details class="menu person">
    <summary>
      ${nameOf(session.operator)} <span class="role">${session.operator.role}</span>
    </summary>
    <div>
      <form method="post" action="${ownAddressOf("/sign-out")}">
        <button class="quiet">Sign out</button>
      </form>
      <form method="post" action="${ownAddressOf("/sign-out-everywhere")}">
        <button class="quiet">Sign out everywhere</button>
      </form>
    </div>
  </details>`;
}

function link(address: string, text: Html | string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${address}" ${isCurrent && trustHtml(' aria-current="page"')}>${text}</a>
  </li>`;
}

function nameOf({ name }: { name: string }): Html {
  return html`<bdi>${name}</bdi>`;
}
