import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { modes } from "../../../contract/field-values.ts";
import { ServiceError } from "../../../contract/error.ts";
import { html, privatePage, renderDocument, type Html } from "../design/html.ts";
import { readAssets } from "../design/pages.ts";
import type { Link } from "./elements.ts";
import { toWords } from "./value-words.ts";
import { home, navigation, type AddressWithin, type Section, type Visit } from "./visit.ts";

/** A page: `content` stands below its heading. */
export type View = {
  title: string;
  /** The heading, where it is more than the title as a text. */
  heading?: Html;
  /** The item of the navigation that the page belongs to. */
  section?: Section;
  /** The list or the thing that the page belongs to. */
  back?: Link;
  /** The buttons of the page, beside its heading. */
  actions?: Html | false;
  /** Questions and short forms are as wide as their text. */
  isNarrow?: boolean;
  content: Html;
};

/** Sends a page, in the frame of the account and mode of its request, if it has them. */
export function sendView(reply: FastifyReply, view: View, status = 200): FastifyReply {
  const { visit, addressIn } = reply.request as Partial<FastifyRequest> & FastifyRequest;
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .send(renderPage(view, addressIn, visit));
}

/** A whole HTML document, which works without its script. */
export function renderPage(view: View, addressIn: AddressWithin, visit?: Visit): string {
  const where = visit ? ` · ${visit.account.name} · ${visit.mode.toUpperCase()}` : "";
  return renderDocument({
    title: view.title + where,
    head: html`${privatePage} ${renderAssets(addressIn)}`,
    body: visit ? renderFramed(view, visit) : renderUnframed(view),
  });
}

/** A page of no account: without a session, or at a wrong address. */
function renderUnframed({ title, content }: View): Html {
  return html`<main class="unframed">
    <p class="product">Payments dashboard</p>
    <h1>${title}</h1>
    ${content}
  </main>`;
}

function renderFramed(view: View, visit: Visit): Html {
  const { title, heading, section, back, actions, isNarrow, content } = view;
  return html`<a class="skip" href="#main">Skip to the page</a>
    <header>
      ${renderBand(visit, section)}
      <div class="bar">
        <div>
          ${renderAccountSwitch(visit)} ${renderModeSwitch(visit, section)} ${renderMenu(visit)}
        </div>
      </div>
    </header>
    <div class="room">
      <div class="sections">${renderSections(visit, section)}</div>
      <main id="main" tabindex="-1" data-now="${visit.nowMs}" ${isNarrow && html` class="narrow"`}>
        ${back && html`<p class="back"><a href="${back.address}">${back.text}</a></p>`}
        <div class="head">
          <h1>${heading ?? title}</h1>
          ${actions && html`<div class="row">${actions}</div>`}
        </div>
        ${content}
      </main>
    </div>`;
}

function renderSections(visit: Visit, section: Section | undefined): Html {
  return html`<nav aria-label="Pages">
    <ul>
      ${Object.entries(navigation)
        .filter(([, { needs }]) => visit.may(needs))
        .map(([name, each]) =>
          renderLink(visit.addressOf(each.path), each.title, name === section),
        )}
    </ul>
  </nav>`;
}

/**
 * The mode, in a word and not by its colour alone. On a phone the band is all of the header: it has the account's name
 * and a menu of everything that stands in the bar and beside the page where there is room.
 */
function renderBand(visit: Visit, section: Section | undefined): Html {
  const { mode, movesMoney, account } = visit;
  const text = movesMoney
    ? "Real money moves here."
    : mode === "live"
      ? "Live data. The built-in simulator decides: no money moves."
      : "No money moves here.";
  return html`<div class="band ${mode}">
    <div>
      <p><strong>${mode.toUpperCase()}</strong> <span class="meaning">${text}</span></p>
      <p class="place">${renderName(account)}</p>
      <details class="menu whole-menu">
        <summary>Menu</summary>
        <div>
          ${renderSections(visit, section)} ${renderModeSwitch(visit, section)}
          ${renderAccounts(visit)} ${renderPerson(visit)}
        </div>
      </details>
    </div>
  </div>`;
}

function renderAccountSwitch(visit: Visit): Html {
  const { account, session } = visit;
  if (session.accounts.length === 1) return html`<p class="account">${renderName(account)}</p>`;
  return html`<details class="menu account">
    <summary><span class="visually-hidden">Account: </span>${renderName(account)}</summary>
    ${renderAccounts(visit)}
  </details>`;
}

/** The accounts of the operator, if there are several. */
function renderAccounts(visit: Visit): Html | false {
  const { account, session, mode } = visit;
  return (
    session.accounts.length > 1 &&
    html`<ul class="accounts" aria-label="Accounts">
      ${session.accounts.map((each) =>
        renderLink(
          visit.addressOf(navigation[home].path, { account: each, mode }),
          renderName(each),
          each.id === account.id,
        ),
      )}
    </ul>`
  );
}

/** The same section in the other mode. One payment or key belongs to one mode, so its page leads to the list. */
function renderModeSwitch(visit: Visit, section: Section = home): Html {
  const { path } = navigation[section];
  return html`<nav class="modes" aria-label="Mode">
    <ul>
      ${modes.map((mode) =>
        renderLink(
          visit.addressOf(path, { mode }),
          mode === "live" ? "Live" : "Test",
          mode === visit.mode,
        ),
      )}
    </ul>
  </nav>`;
}

function renderMenu(visit: Visit): Html {
  const { operator } = visit.session;
  return html`<details class="menu person">
    <summary>${renderName(operator)} <span class="role">${toWords(operator.role)}</span></summary>
    <div>${renderSignOut(visit)}</div>
  </details>`;
}

function renderPerson(visit: Visit): Html {
  const { operator } = visit.session;
  return html`<div>
    <p class="who">${renderName(operator)} <span class="role">${toWords(operator.role)}</span></p>
    ${renderSignOut(visit)}
  </div>`;
}

function renderSignOut({ ownAddressOf }: Visit): Html {
  return html`<button class="quiet" type="button" data-zone hidden></button>
    <form method="post" action="${ownAddressOf("/sign-out")}">
      <button class="quiet">Sign out</button>
    </form>
    <form method="post" action="${ownAddressOf("/sign-out-everywhere")}">
      <button class="quiet">Sign out everywhere</button>
    </form>`;
}

function renderLink(address: string, text: Html | string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${address}" ${isCurrent && html` aria-current="page"`}>${text}</a>
  </li>`;
}

function renderName({ name }: { name: string }): Html {
  return html`<bdi title="${name}">${name}</bdi>`;
}

/** A page with one message, and a link to continue. */
export function renderMessage(title: string, text: string, link?: Link): View {
  return {
    title,
    content: html`<p>${text}</p>
      ${link && html`<p><a class="secondary" href="${link.address}">${link.text}</a></p>`}`,
  };
}

/** The page of a failed request, without details of an internal error. */
export function renderFailure(status: number, dashboardAddress: string): View {
  const [title, text] = describeFailure(status);
  return renderMessage(title, text, linkToDashboard(dashboardAddress));
}

export function linkToDashboard(address: string): Link {
  return { address, text: "Open the dashboard" };
}

function describeFailure(status: number): [title: string, text: string] {
  if (status === 404) {
    return ["Page not found", "This page does not exist, or belongs to another account or mode."];
  }
  if (status === 409) {
    return ["Already submitted", "This form was already submitted. Check whether it took effect."];
  }
  if (status >= 500) {
    return [
      "Not available at the moment",
      "The service could not finish this. Check whether it took effect, then try again in a moment.",
    ];
  }
  return ["Something went wrong", "This form could not be read. Go back and try again."];
}

const folder = "/assets";
const oneYearSeconds = 365 * 24 * 60 * 60;

/** A file of every page. Its name changes with its content, so that browsers keep it for as long as they like. */
type Asset = { name: string; type: string; content: string };

/** The style of every page of the dashboard: what all pages are built of, and its own layout. */
const dashboardStyle = readAssets(
  "design/tokens.css",
  "design/base.css",
  "design/controls.css",
  ...["frame", "tables", "parts", "forms", "print", "overview"].map(
    (name) => `dashboard/${name}.css`,
  ),
);
export const dashboardScript = readAssets("dashboard/dashboard.js", "dashboard/chart.js");

const style = createAsset("css", "text/css; charset=utf-8", dashboardStyle);
const script = createAsset("js", "text/javascript; charset=utf-8", dashboardScript);
export const assets: readonly Asset[] = [style, script];

function createAsset(extension: string, type: string, content: string): Asset {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 16);
  return { name: `dashboard-${hash}.${extension}`, type, content };
}

/**
 * The addresses of the style and the script, which need no session. A page of another version, from before an upgrade
 * or from another replica, gets the current file, which no cache keeps under the other name.
 */
export function registerAssets(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>(`/dashboard${folder}/:name`, async (request, reply) => {
    const { name } = request.params;
    const [, extension] = /^dashboard-[\w-]+(\.(?:css|js))$/.exec(name) ?? [];
    const asset = assets.find((each) => extension && each.name.endsWith(extension));
    if (!asset) throw new ServiceError("resource_missing", "There is no such file.");
    if (name === asset.name) {
      reply.header("cache-control", `public, max-age=${oneYearSeconds}, immutable`);
    }
    return reply.header("content-type", asset.type).send(asset.content);
  });
}

/** The style and the script, for the head of a page. */
function renderAssets(addressIn: AddressWithin): Html {
  return html`<link rel="stylesheet" href="${addressIn(`${folder}/${style.name}`)}" />
    <script src="${addressIn(`${folder}/${script.name}`)}" defer></script>`;
}
