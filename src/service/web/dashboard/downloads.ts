import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../../contract/error.ts";
import { FairShares } from "../../../runtime/fair-semaphore.ts";
import { toCsvHeader, toCsvLine } from "../../../runtime/records.ts";
import { findDay, formatDay } from "../../../runtime/time.ts";
import { isAllowed } from "../../accounts/operator-state.ts";
import { findSession } from "../../accounts/sessions.ts";
import type { Listed } from "../../database/listing.ts";
import { html, type Html } from "../design/html.ts";
import type { Entrance } from "./require-session.ts";

/** Each holds a page of a list in memory, and keeps the database busy. One account leaves some of them to others. */
const maxDownloads = 8;
const pieceLength = 32 * 1024;
/** A download ends within this time after its session. */
const checkEveryMs = 1_000;

type Pages = AsyncGenerator<readonly object[]>;
type Download = {
  /** The contents of the file, for its name. */
  subject: string;
  /** The lines of the file; one that follows from the records is made when their first page has been read. */
  sheet: Sheet | ((check: () => Promise<void>) => Promise<Sheet>);
  /** The records, page after page. */
  pages: Pages;
};
/** What a file begins with, and the line of each record. */
export type Sheet = { opening: string; toLine: (record: never) => string };
export type SendDownload = (
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
) => Promise<FastifyReply>;

/**
 * Sends records as CSV. A page is read when the one before has left, so memory does not grow with their number. A failure before the first record is a page; a later one, and the
 * end of the session, end the connection, so that the browser reports an incomplete file.
 */
export function createDownloads(entrance: Entrance): SendDownload {
  const { service } = entrance;
  const shares = new FairShares(maxDownloads);
  return async (request, reply, { subject, sheet, pages }) => {
    const owner = [request.visit.account.id];
    if (!shares.canTake(owner)) {
      throw new ServiceError("service_unavailable", "Too many downloads are in progress.");
    }
    shares.change(owner, 1);
    const end = () => shares.change(owner, -1);
    const first = await pages.next().catch((error: unknown) => {
      end();
      throw error;
    });
    const checkSession = createSessionCheck(entrance, request);
    const check = async () => {
      if (request.raw.destroyed) throw new Error("The reader has left.");
      await checkSession();
    };
    const isHead = request.method === "HEAD";
    const lines = isHead ? [] : writeLines(sheet, { first, pages, check });
    const content = Readable.from(lines, { objectMode: false }).once("close", end);
    const name = `${subject}-${formatDay(findDay(service.clock()))}.csv`;
    return reply
      .header("content-type", "text/csv; charset=utf-8; header=present")
      .header("content-disposition", `attachment; filename="${name}"`)
      .send(content);
  };
}

type Lines = {
  first: IteratorResult<readonly object[]>;
  pages: Pages;
  /** Throws once nobody may read on, or does. */
  check: () => Promise<void>;
};

async function* writeLines(
  sheet: Download["sheet"],
  { first, pages, check }: Lines,
): AsyncGenerator<string> {
  const { opening, toLine } = typeof sheet === "function" ? await sheet(check) : sheet;
  let piece = opening;
  for (let page = first; !page.done; page = await pages.next()) {
    await check();
    for (const record of page.value) {
      piece += toLine(record as never);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** Checks from time to time that the operator may still see the page. Error: invalid_api_key. */
function createSessionCheck({ service, cookie }: Entrance, request: FastifyRequest) {
  const { visit } = request;
  const { needs = "administer" } = request.routeOptions.config;
  const secret = cookie.read(request) ?? "";
  let checkedMs = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - checkedMs < checkEveryMs) return;
    const session = await findSession(service, secret);
    const isMember = session?.accounts.some(({ id }) => id === visit.account.id) ?? false;
    if (!session || !isMember || !isAllowed(session.operator.role, needs)) {
      throw new ServiceError("resource_missing", "The session is over.");
    }
    checkedMs = performance.now();
  };
}

/** Every page of a list, newest first. */
export async function* listAllPages<Item extends { id: string }>(
  list: (cursors: { starting_after?: string }) => Promise<Listed<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let cursors = {}, hasMore = true; hasMore;) {
    const page = await list(cursors);
    yield page.items;
    const last = page.items.at(-1);
    hasMore = page.hasMore && last !== undefined;
    cursors = { starting_after: last?.id };
  }
}

/** A file with the cells that the command prints with `-o csv`. */
export function createCsv(columns: readonly string[]): Sheet {
  return {
    opening: `${toCsvHeader(columns)}\n`,
    toLine: (record: object) => `${toCsvLine(record, columns)}\n`,
  };
}

export function renderDownloadLink(address: string, text = "Download CSV"): Html {
  return html`<a class="secondary" href="${address}" download>${text}</a>`;
}
