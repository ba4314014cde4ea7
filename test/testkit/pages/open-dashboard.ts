import type { Actor, Role } from "../../../src/contract/administration.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type {
  CreateEndpointBody,
  WebhookEndpoint,
} from "../../../src/contract/webhook-endpoint.ts";
import { bodyWith } from "../api-objects.ts";
import { openAppForTest, type Answer, type Around } from "../app/open-app.ts";

const form = "application/x-www-form-urlencoded";
/** The header that a current browser sends with a form of this site. */
export const ownForm = { "sec-fetch-site": "same-origin" };
export const command: Actor = { type: "command", id: null, name: "root" };

type Headers = Record<string, string>;
type Fields = Record<string, string>;

/** The service with its dashboard over a new database, and operators who sign in to it. */
export async function openDashboard(around: Around = {}) {
  const opened = await openAppForTest({ dashboard: {}, ...around });
  const { call, service } = opened;
  const [account] = await service.listAccounts();
  const accountId = account?.id ?? "";

  async function invite(role: Role = "admin", { name = "Ada", accounts = [accountId] } = {}) {
    const { operator, token } = await service.inviteOperator({ name, role, accounts }, command);
    return { operatorId: operator.id, path: `/dashboard/invitations/${token}` };
  }

  const visit = async (path: string, headers: Headers = {}) => call({ path, key: null, headers });
  const submit = async (path: string, fields: Fields = {}, headers: Headers = ownForm) => {
    const body = new URLSearchParams(fields).toString();
    return await call({ method: "POST", path, key: null, body, type: form, headers });
  };

  return {
    ...opened,
    accountId,
    invite,
    visit,
    submit,

    /** An operator who has signed in, in a browser with the session's cookie. */
    signIn: async (...invitation: Parameters<typeof invite>) => {
      const { operatorId, path } = await invite(...invitation);
      const cookie = cookieIn(await submit(path));
      return {
        operatorId,
        get: async (page: string, headers: Headers = {}) => visit(page, { cookie, ...headers }),
        post: async (page: string, fields: Fields = {}, headers: Headers = ownForm) =>
          submit(page, fields, { cookie, ...headers }),
      };
    },

    pay: async (fields: object = {}, mode: Mode = "test") => {
      const answer = await call({ method: "POST", key: mode, body: bodyWith(fields) });
      return JSON.parse(answer.text) as Payment;
    },

    createEndpoint: async (fields: Partial<CreateEndpointBody> = {}, mode: Mode = "test") => {
      const body = { url: "https://shop.example/hooks", ...fields };
      const scope = { accountId, livemode: mode === "live" };
      const made = await service.createEndpoint(scope, body, undefined, command);
      return JSON.parse(made.body) as WebhookEndpoint & { secret: string };
    },

    /** The actions in the account's audit log, newest first. */
    listActions: async () =>
      (await service.listActivity(accountId, { limit: 100 })).items.map(({ action }) => action),

    /** The path of a page of an account and mode. */
    at: (path: string, mode: string = "test", ofAccount = accountId) =>
      `/dashboard/${ofAccount}/${mode}${path}`,
  };
}

export function cookieIn({ headers }: Answer): string {
  return String(headers["set-cookie"]).split(";", 1).join("");
}

/** The text of a page, without tags, style and script. */
export function textOf({ text }: Answer): string {
  return text
    .replaceAll(/<(style|script)>[^]*?<\/\1>|<wbr \/>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

/** The idempotency key of a page's first form. */
export function formKeyOf({ text }: Answer): string {
  return /name="key"\s+value="([^"]+)"/.exec(text)?.[1] ?? "";
}

/** The secret that a page shows once. */
export function secretOf({ text }: Answer): string | undefined {
  return /<textarea\s+id="secret"[^>]*>\s*([^<]+)</.exec(text)?.[1];
}

/** The payments that a page links to, in its order. */
export function findPaymentIds({ text }: Answer): string[] {
  return [...text.matchAll(/href="[^"]*\/payments\/(pay_[^"]+)"/g)].map(([, id]) => id ?? "");
}

/** The link to the newer or the older page of a list. */
export function pageLinkOf({ text }: Answer, rel: "prev" | "next"): string | undefined {
  return new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(text)?.[1]?.replaceAll("&amp;", "&");
}
