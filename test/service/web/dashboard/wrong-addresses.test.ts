import { describe, expect, test } from "vitest";
import type { Answer } from "../../../testkit/app/open-app.ts";
import { openDashboard, ownForm, textOf } from "../../../testkit/pages/open-dashboard.ts";

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
      /Secret &amp; Sons.*Eve admin.*Sign out everywhere.*Overview.*Keys.*Not found This page does not exist/,
    );
    const mode = path.startsWith("/live") ? "live" : "test";
    expect(answer.text).toContain(`href="/dashboard/${other}/${mode}/payments"`);
    expect(answer.text).toContain(
      `<title>Not found · ${name.replace("&", "&amp;")} · ${mode.toUpperCase()}`,
    );
  });

  test("has the navigation of the role", async () => {
    const { signIn, at } = await openDashboard();
    const { get } = await signIn("viewer");
    const text = textOf(await get(at("/nowhere")));
    expect(text).toContain("Ada viewer");
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
