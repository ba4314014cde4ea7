import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import { pathToFileURL } from "node:url";
import type { Transport, TransportAnswer, TransportRequest } from "../../runtime/http-transport.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { makePrivateFile } from "../../runtime/user-files.ts";
import { embed, embedWithoutOwnKeys } from "../../service/server/embed.ts";
import { openEmbeddedKeys, resolveEmbeddedKeyFile } from "../../service/server/embedded-keys.ts";
import type { Settings } from "./resolve-settings.ts";
import { getCommandActor, selectAccount } from "./service-database.ts";

type EmbeddedConnection = { apiKey: string; transport: Transport };

/**
 * Connects to the service in this process: on the user's own database with the keys made for it, or on a
 * named database in the named account. Errors: no such database, no such account, or several accounts and
 * none named.
 */
export async function connectEmbedded(
  settings: Settings,
  root: string,
): Promise<EmbeddedConnection> {
  const { database, isDatabaseNamed, key, mode, directories } = settings;
  const { data } = directories;
  if (!isDatabaseNamed && settings.account === undefined) {
    const keys = await openEmbeddedKeys(data);
    const transport = createEmbeddedTransport(async () =>
      embed({
        database,
        docsUrl: resolveErrorsPageUrl(root, data),
        keys,
        keyFile: resolveEmbeddedKeyFile(data),
      }),
    );
    return { apiKey: key?.value() ?? keys[mode], transport };
  }
  const opened = await embedWithoutOwnKeys({
    database,
    docsUrl: resolveErrorsPageUrl(root, data),
    migrates: !isDatabaseNamed,
    mode,
    actor: getCommandActor(),
    chooseAccount: (accounts) => selectAccount(accounts, settings.account),
    hasKey: key !== undefined,
  });
  const transport = createEmbeddedTransport(async () => opened);
  return {
    apiKey: key?.value() ?? opened.apiKey,
    transport: { ...transport, close: opened.close },
  };
}

/**
 * The address of the page that documents every error: a file of the package at `root`. The standalone
 * executable has no such file, and writes one into the `data` folder.
 */
function resolveErrorsPageUrl(root: string, data: string): string {
  if (!isSea()) return pathToFileURL(join(root, "docs", "errors.html")).href;
  const file = join(data, "errors.html");
  const text = getAsset("errors.html", "utf8");
  makePrivateFile(file);
  if (readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  return pathToFileURL(file).href;
}

/** The service in this process. */
type EmbeddedService = {
  call: (request: Omit<TransportRequest, "timeoutMs">) => Promise<TransportAnswer>;
  close: () => Promise<void>;
};

/** Requests to the service in this process, opened at the first one. */
export function createEmbeddedTransport(open: () => Promise<EmbeddedService>): Transport {
  let service: Promise<EmbeddedService> | undefined;
  return {
    send: async ({ timeoutMs, ...request }) => {
      service ??= open();
      const { call } = await service;
      return await withTimeout(call(request), timeoutMs, () => {
        throw new Error(`no answer within ${timeoutMs / 1000} s`);
      });
    },
    close: async () => {
      const opened = await service?.catch(() => undefined);
      await opened?.close();
    },
  };
}
