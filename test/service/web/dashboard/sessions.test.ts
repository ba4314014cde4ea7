import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Role } from "../../../../src/contract/administration.ts";
import { serveBound } from "../../../testkit/service/bind-use-cases.ts";
import { openAppForTest, type Answer } from "../../../testkit/app/open-app.ts";
import {
  command,
  cookieIn,
  openDashboard,
  ownForm,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

test("a service without a dashboard has none of its paths", async () => {
  const { call } = await openAppForTest();
  for (const path of ["/dashboard", "/dashboard/sign-in"]) {
    const answer = await call({ path, key: null });
    expect(answer.status).toBe(404);
    expect(answer.headers["content-type"]).toContain("json");
  }
});

describe("without a session", () => {
  test("a page redirects to the page for signing in", async () => {
    const { visit, at } = await openDashboard();
    for (const path of ["/dashboard", at("/payments"), at("/payments/pay_1/refund")]) {
      const answer = await visit(path, { "sec-fetch-site": "none" });
      expect(answer.status).toBe(303);
      expect(answer.headers["location"]).toBe("/dashboard/sign-in");
    }
    const text = textOf(await visit("/dashboard/sign-in"));
    expect(text).toContain("works once, for 15 minutes");
    for (const advice of ["operators invite --id OPERATOR_ID", "dashboard"]) {
      expect(text).toContain(`payments ${advice} --public-url https://payments.test `);
    }
    expect(text).toContain("If there are operators already, add --operator and your ID");
  });

  test.each(["cross-site", "same-site"])(
    "a link of another site (%s) gets a page that reloads itself, so that the browser sends its cookie",
    async (site) => {
      const { visit, at } = await openDashboard();
      const path = at("/payments?status=failed");
      const answer = await visit(path, { "sec-fetch-site": site });
      expect(answer.status).toBe(200);
      expect(answer.headers["refresh"]).toBe(`0; url=${path}`);
      expect((await visit(path, ownForm)).status).toBe(303);
    },
  );

  test("a form is refused", async () => {
    const { submit, at } = await openDashboard();
    for (const path of ["/dashboard/sign-out", at("/payments/pay_1/refund")]) {
      expect((await submit(path)).status).toBe(403);
    }
  });
});

describe("a session", () => {
  test("is a cookie of this host, which is hidden from scripts and other sites", async () => {
    const { submit, invite } = await openDashboard();
    const { path } = await invite();
    const answer = await submit(path);
    expect(answer.status).toBe(303);
    expect(answer.headers["location"]).toBe("/dashboard");
    expect(answer.headers["set-cookie"]).toMatch(
      /^__Host-payments_session=[A-Za-z0-9]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test("without https has a cookie that does not require https", async () => {
    const { url, accept } = await serveInvitation();
    const answer = await accept({ origin: url });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^payments_session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get("strict-transport-security")).toBeNull();
  });

  test("redirects from /dashboard to the first account", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn();
    const fetchLocation = async (path: string) => (await get(path)).headers["location"];
    expect(await fetchLocation("/dashboard")).toBe(at(""));
    for (const path of ["/dashboard/", "/dashboard/sign-in"]) {
      expect(await fetchLocation(path)).toBe("/dashboard");
    }
  });

  test("is logged with its operator, and the account and mode of the page", async () => {
    const { signIn, at, logged, accountId } = await openDashboard();
    const { operatorId, get } = await signIn("viewer");
    await get(at("/payments", "live"));
    await get("/dashboard");
    await expect.poll(() => logged).toHaveLength(3);
    const { fields } = logged[1] ?? {};
    expect(fields).toMatchObject({ operator_id: operatorId, account: accountId, mode: "live" });
    expect(logged[2]?.fields).toMatchObject({ operator_id: operatorId });
  });

  test("without an account redirects to the page for signing in", async () => {
    const { signIn } = await openDashboard({
      store: (real) => ({
        ...real,
        findSession: async (...query) => {
          const found = await real.findSession(...query);
          return found && { ...found, accounts: [] };
        },
      }),
    });
    const { get } = await signIn();
    const answer = await get("/dashboard");
    expect(answer.status).toBe(303);
    expect(answer.headers["location"]).toBe("/dashboard/sign-in");
  });

  test("ends when another operator signs in, in the same browser", async () => {
    const { signIn, invite, at, visit } = await openDashboard();
    const { get, post } = await signIn();
    const { path } = await invite("viewer", { name: "Bob" });
    const cookie = cookieIn(await post(path));
    expect((await get(at("/payments"))).status).toBe(303);
    expect((await visit(at("/payments"), { cookie })).status).toBe(200);
  });

  test("ends when the operator signs out, and all others when the operator signs out everywhere", async () => {
    const { signIn, service, submit, at, visit } = await openDashboard();
    const { operatorId, get, post } = await signIn();
    const others: string[] = [];
    for (const _ of [1, 2]) {
      const { token } = await service.reinviteOperator({ id: operatorId }, command);
      others.push(cookieIn(await submit(`/dashboard/invitations/${token}`)));
    }
    const fetchStatuses = async () =>
      await Promise.all(
        others.map(async (cookie) => (await visit(at("/payments"), { cookie })).status),
      );
    const answer = await post("/dashboard/sign-out");
    expect(answer.status).toBe(303);
    expect(answer.headers["set-cookie"]).toContain("__Host-payments_session=; Path=/; Max-Age=0");
    expect((await get(at("/payments"))).headers["location"]).toBe("/dashboard/sign-in");
    expect(await fetchStatuses()).toEqual([200, 200]);
    await submit("/dashboard/sign-out-everywhere", {}, { ...ownForm, cookie: others[0] ?? "" });
    expect(await fetchStatuses()).toEqual([303, 303]);
  });
});

test.each<[string, Record<string, string>, boolean]>([
  ["a page of the dashboard", { "sec-fetch-site": "same-origin" }, true],
  ["its origin, in an old browser", { origin: "https://payments.test" }, true],
  ["no browser", {}, false],
  ["an unknown origin", { origin: "null" }, false],
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://payments.test" }, false],
  ["another site of this domain", { "sec-fetch-site": "same-site" }, false],
  ["the address bar", { "sec-fetch-site": "none" }, false],
  ["another origin, in an old browser", { origin: "https://evil.example" }, false],
])("a form that writes by %s: %o is accepted: %s", async (_, headers, isAccepted) => {
  const { signIn, submit, invite, at } = await openDashboard();
  const { get, post } = await signIn();
  expect((await post("/dashboard/sign-out", {}, headers)).status).toBe(isAccepted ? 303 : 403);
  expect((await get(at("/payments"))).status).toBe(isAccepted ? 303 : 200);
  const { path } = await invite();
  expect((await submit(path, {}, headers)).status).toBe(isAccepted ? 303 : 403);
});

test.each<[string, string, number]>([
  ["GET", "/dashboard/sign-in", 200],
  ["GET", "/dashboard", 303],
  ["GET", "/dashboard/unknown", 404],
  ["GET", "/dashboard/invitations/unknown", 404],
  ["GET", "/d%61shboard/unknown", 404],
  ["GET", "/dashboard/%zz", 400],
  ["POST", "/dashboard/sign-in", 405],
  ["PUT", "/dashboard/invitations/x", 405],
])(
  "every response under /dashboard %s %s: %d has the security headers",
  async (method, path, status) => {
    const { call } = await openDashboard();
    const { headers, ...answer } = await call({ method, path, key: null, headers: ownForm });
    expect(answer.status).toBe(status);
    expect(headers["content-type"]).toBe(status === 303 ? undefined : "text/html; charset=utf-8");
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "strict-transport-security": "max-age=31536000",
    });
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
  },
);

test.each<[string, string, string]>([
  ["GET", "/dashboard/unknown", "This page does not exist"],
  ["POST", "/dashboard/sign-in", "This form could not be read. Go back and try again."],
])("an error (%s %s) has a page with a link to the dashboard", async (method, path, words) => {
  const { call } = await openDashboard();
  const answer = await call({ method, path, key: null, headers: ownForm });
  expect(textOf(answer)).toContain(words);
  expect(answer.text).toContain('href="/dashboard">Open the dashboard</a>');
});

test("a page has no style or script inside, and links to one of each, which browsers keep by the hash in its name", async () => {
  const { visit } = await openDashboard();
  const { text } = await visit("/dashboard/sign-in");
  expect(text).not.toMatch(/<style|<script[^>]*>[^<]|\sstyle=|\son\w+=/);
  const links = [...text.matchAll(/<(?:link rel="stylesheet" href|script src)="([^"]+)"/g)];
  const addresses = links.map(([, address = ""]) => address);
  expect(addresses.map((each) => each.replace(/-[\w-]{16}/, ""))).toEqual([
    "/dashboard/assets/dashboard.css",
    "/dashboard/assets/dashboard.js",
  ]);
  for (const path of addresses) {
    const current = await visit(path);
    const hash = createHash("sha256").update(current.text).digest("base64url").slice(0, 16);
    expect(path).toContain(`-${hash}.`);
    expect(current.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const other = await visit(path.replace(hash, "of-another-build"));
    expect(other.text).toBe(current.text);
    for (const { status, headers } of [current, other]) {
      expect(status).toBe(200);
      expect(headers["content-type"]).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    expect(other.headers["cache-control"]).toBe("no-store");
  }
  expect((await visit("/dashboard/assets/dashboard.txt")).status).toBe(404);
});

describe("an operator", () => {
  test("gets the same response for another account as for one that does not exist", async () => {
    const { signIn, service, at } = await openDashboard();
    const other = await service.createAccount({ name: "Other" });
    const { get, post } = await signIn();
    const fetchPage = async (account: string) => {
      const { status, text } = await get(at("/payments", "test", account));
      return { status, text };
    };
    expect((await get(at("/payments"))).status).toBe(200);
    expect(await fetchPage(other.id)).toEqual(await fetchPage("acct_unknown"));
    expect((await fetchPage(other.id)).status).toBe(404);
    expect((await post(at("/payments/pay_1/refund", "test", other.id))).status).toBe(404);
  });

  test.each<[Role, string[]]>([
    [
      "viewer",
      [
        "/requests",
        "/requests/req_1",
        "/keys",
        "/webhooks",
        "/team",
        "/activity",
        "/settings",
        "/payments/pay_1/refund",
        "/payments/pay_1/cancel",
      ],
    ],
    ["support", ["/keys", "/webhooks", "/team", "/activity", "/settings"]],
  ])(
    "with the role %s sees neither pages outside of the role nor links to them",
    async (role, paths) => {
      const { signIn, at } = await openDashboard();
      const { get } = await signIn(role);
      const { text } = await get(at("/payments"));
      for (const path of paths) {
        expect(text).not.toContain(at(path));
        expect({ path, status: (await get(at(path))).status }).toEqual({ path, status: 403 });
      }
    },
  );

  test("gets 404 for an unknown mode", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn();
    expect((await get(at("/payments", "dead"))).status).toBe(404);
  });
});

test("behind a public address with a path, every link has that path", async () => {
  const publicUrl = "https://example.com/shop/";
  const { url, account, invitation, accept } = await serveInvitation({ publicUrl });
  expect(await (await fetch(url + invitation)).text()).toContain(`action="/shop${invitation}"`);
  const { headers } = await accept(ownForm);
  expect(headers.get("location")).toBe("/shop/dashboard");
  const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
  const page = await fetch(`${url}/dashboard/${account}/test`, { headers: { cookie } });
  const links = [...(await page.text()).matchAll(/(?:href|action)="([^"#]+)"/g)];
  expect(links.length).toBeGreaterThan(4);
  for (const [, link] of links) expect(link).toMatch(/^\/shop\/dashboard\//);
});

/** A service on a port, and an invitation to its dashboard. */
async function serveInvitation(settings: { publicUrl?: string } = {}) {
  const local = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };
  const { url, service, close } = await serveBound({ ...local, dashboard: {}, ...settings });
  onTestFinished(close);
  const account = (await service.listAccounts())[0]?.id ?? "";
  const request = { name: "Ada", role: "admin", accounts: [account] } as const;
  const { token } = await service.inviteOperator(request, command);
  const invitation = `/dashboard/invitations/${token}`;
  return {
    url,
    account,
    invitation,
    accept: async (headers: Record<string, string>) =>
      fetch(url + invitation, { method: "POST", headers, redirect: "manual" }),
  };
}

/** Paths inside an account that do not exist. */
const wrongPaths = [
  "/test/nowhere",
  "/live/nowhere",
  "/test/payments/pay_1/nowhere",
  "/test/keys/key_1",
  "/nowhere/payments",
  "/nowhere",
  "",
];

/** A page without the frame of an account. */
const unframed = /<body>\s*<main class="unframed">/;

/** The parts of a response that a visitor sees. */
function pickVisible({ status, text, headers: { location, allow } }: Answer) {
  return { status, text, location, allow };
}

async function openTwoAccounts() {
  const opened = await openDashboard();
  const name = "Secret & Sons";
  const other = await opened.service.createAccount({ name });
  const inOther = { name: "Eve", accounts: [other.id] };
  return { ...opened, name, other: other.id, inOther };
}

describe("a wrong address inside an account", () => {
  test.each(wrongPaths)("has the account's frame, with navigation: %s", async (path) => {
    const { signIn, other, inOther, name } = await openTwoAccounts();
    const { get } = await signIn("admin", inOther);
    const answer = await get(`/dashboard/${other}${path}`);
    expect(answer.status).toBe(404);
    expect(textOf(answer)).toMatch(
      /Secret &amp; Sons.*Eve Admin.*Sign out everywhere.*Overview.*Keys.*Page not found This page does not exist/,
    );
    const mode = path.startsWith("/live") ? "live" : "test";
    expect(answer.text).toContain(`href="/dashboard/${other}/${mode}/payments"`);
    expect(answer.text).toContain(
      `<title>Page not found · ${name.replace("&", "&amp;")} · ${mode.toUpperCase()}`,
    );
  });

  test("has the navigation of the role", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn("viewer");
    const text = textOf(await get(at("/nowhere")));
    expect(text).toContain("Ada Viewer");
    expect(text).not.toMatch(/Keys|Webhooks|Team/);
  });

  test("has the frame for a form, and for a wrong method", async () => {
    const { signIn, at } = await openDashboard();
    const { get, post } = await signIn();
    const sent = await post(at("/nowhere"), {}, ownForm);
    expect([sent.status, textOf(sent)]).toEqual([404, expect.stringContaining("Sign out")]);
    const wrongMethod = await get(at("/webhooks/we_1/enable"));
    expect([wrongMethod.status, wrongMethod.headers["allow"]]).toEqual([405, "POST"]);
    expect(textOf(wrongMethod)).toContain("Sign out");
  });

  test.each(wrongPaths)(
    "looks to other visitors like one in an unknown account: %s",
    async (path) => {
      const { signIn, visit, other } = await openTwoAccounts();
      const signedOut = await signIn("admin", { name: "Eve", accounts: [other] });
      await signedOut.post("/dashboard/sign-out");
      const cookie = "__Host-payments_session=nonsense";
      const visitors = {
        "without a session": visit,
        "with a forged session": async (address: string) => visit(address, { cookie }),
        "signed out": signedOut.get,
        "in another account": (await signIn("admin")).get,
      };
      for (const [who, visitPath] of Object.entries(visitors)) {
        const [inside, outside] = [
          await visitPath(`/dashboard/${other}${path}`),
          await visitPath(`/dashboard/acct_none${path}`),
        ];
        expect({ who, ...pickVisible(inside) }).toEqual({ who, ...pickVisible(outside) });
        expect(inside.text).not.toContain("Secret");
        expect(inside.text).not.toContain("Sign out");
      }
    },
  );

  test("is not found, without a frame, while the store is unavailable", async () => {
    let isUnavailable = false;
    const { signIn, at } = await openDashboard({
      store: (real) => ({
        ...real,
        findSession: async (...query) => {
          if (isUnavailable) throw new Error("The store is unavailable.");
          return await real.findSession(...query);
        },
      }),
    });
    const { get } = await signIn();
    isUnavailable = true;
    const answer = await get(at("/nowhere"));
    expect([answer.status, answer.text]).toEqual([404, expect.stringMatching(unframed)]);
  });
});
