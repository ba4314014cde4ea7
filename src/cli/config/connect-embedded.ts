import { createEmbeddedTransport, type Transport } from "../../client/transport.ts";
import { embed, embedWithoutOwnKeys } from "../../service/server/embed.ts";
import { resolveEmbeddedKeyFile, openEmbeddedKeys } from "../../service/server/embedded-keys.ts";
import { chosenAccount } from "../parse/chosen-account.ts";
import { getCommandActor } from "../parse/command-actor.ts";
import { resolveErrorsPageUrl } from "./errors-page-url.ts";
import type { Settings } from "./resolve-settings.ts";

type EmbeddedConnection = { apiKey: string; transport: Transport };

/**
 * The way to the service in this process: over the user's own database with the keys made for it, or over
 * one that somebody named, in the account that was named. What it loads is loaded for it alone. Errors:
 * there is no such database, no such account, or several of which none was named.
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
    begins: !isDatabaseNamed,
    mode,
    actor: getCommandActor(),
    chooseAccount: (accounts) => chosenAccount(accounts, settings.account),
    hasKey: key !== undefined,
  });
  const transport = createEmbeddedTransport(async () => opened);
  return {
    apiKey: key?.value() ?? opened.apiKey,
    transport: { ...transport, close: opened.close },
  };
}
