import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { ServiceError } from "../../domain/service-error.ts";
import { html, type Html } from "../design/html.ts";
import { readAssets } from "../design/read-assets.ts";
import type { AddressWithin } from "./visit.ts";

const folder = "/assets";
const oneYearSeconds = 365 * 24 * 60 * 60;

/** A file of every page. Its name changes with its content, so that browsers keep it for as long as they like. */
type Asset = { name: string; type: string; content: string };

/** The style of every page of the dashboard: what all pages are built of, and its own layout. */
const dashboardStyle = readAssets(
  "design/tokens.css",
  "design/base.css",
  "design/controls.css",
  ...["frame", "tables", "parts", "forms", "widths", "overview"].map(
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
export function renderAssets(addressIn: AddressWithin): Html {
  return html`<link rel="stylesheet" href="${addressIn(`${folder}/${style.name}`)}" />
    <script src="${addressIn(`${folder}/${script.name}`)}" defer></script>`;
}
