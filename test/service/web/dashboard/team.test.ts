import { describe, expect, test } from "vitest";
import type { Role } from "../../../../src/contract/operator.ts";
import { formKeyIn, secretIn } from "../../../testkit/pages/form-in.ts";
import { command, openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

/** An admin of the first of two accounts, and the operators that the service knows. */
async function openTeam() {
  const opened = await openDashboard();
  const { signIn, at, service, accountId } = opened;
  const other = await service.createAccount({ name: "Other" });
  const admin = await signIn();
  const page = at("/team");
  return {
    ...opened,
    ...admin,
    other,
    page,
    named: async (name: string) =>
      (await service.listOperators()).filter((each) => each.name === name),
    colleague: async (role: Role = "viewer", accounts = [accountId]) =>
      (await service.inviteOperator({ name: "Bob", role, accounts }, command)).operator,
    done: async (action: string) => {
      const { items } = await service.listActivity(accountId, { limit: 100 });
      return items.filter((each) => each.action === action);
    },
  };
}

const pathOf = (link: string) => new URL(link).pathname;

test("the team is who works in the account, and says who you are", async () => {
  const { get, page, colleague, service, other, operatorId } = await openTeam();
  await colleague("support");
  const foreign = { name: "Mallory", role: "admin", accounts: [other.id] } as const;
  const { operator } = await service.inviteOperator(foreign, command);
  const answer = await get(page);
  expect(saidIn(answer)).toMatch(/Ada you admin active.*Bob support invited never/);
  expect(saidIn(answer)).toContain("Sign out everywhere");
  expect(answer.text).not.toContain("Mallory");
  expect((await get(`${page}/${operator.id}`)).status).toBe(404);
  expect((await get(`${page}/${operatorId}`)).status).toBe(200);
});

describe("an invitation", () => {
  test("is a link that is shown this once, and signs in to this account", async () => {
    const { get, post, page, submit, visit, named, accountId, done } = await openTeam();
    const fields = { key: formKeyIn(await get(page)), name: "Bob <b>", role: "support" };
    const answer = await post(page, fields);
    expect(answer.status).toBe(201);
    expect(saidIn(answer)).toContain("It works once, for 15 minutes");
    expect(answer.text).toContain("Bob &lt;b&gt;");
    const link = secretIn(answer) ?? "";
    expect(link).toMatch(/^https:\/\/payments\.test\/dashboard\/invitations\/\w{43}$/);

    const again = await post(page, fields);
    expect(again.status).toBe(409);
    expect(again.text).not.toContain(link);
    expect(await named("Bob <b>")).toMatchObject([{ role: "support", accounts: [accountId] }]);
    expect(await done("operator.invited")).toHaveLength(2);
    expect((await visit(pathOf(link))).status).toBe(200);
    expect((await submit(pathOf(link))).status).toBe(303);
  });

  test.each([
    [{ name: " ", role: "viewer" }, "The name is empty."],
    [{ name: "Bob", role: "owner" }, "Choose viewer, support, admin."],
  ])("is not made of %j, which comes back with what is wrong", async (fields, mistake) => {
    const { get, post, page, named } = await openTeam();
    const answer = await post(page, { key: formKeyIn(await get(page)), ...fields });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain(mistake);
    expect(answer.text).toContain(`value="${fields.name}"`);
    expect(await named(fields.name)).toEqual([]);
  });

  test("may be given anew, which ends the one before", async () => {
    const { get, post, page, submit, service, accountId } = await openTeam();
    const asked = { name: "Bob", role: "viewer", accounts: [accountId] } as const;
    const { operator, token } = await service.inviteOperator(asked, command);
    const fields = { key: formKeyIn(await get(`${page}/${operator.id}`)) };
    const answer = await post(`${page}/${operator.id}/link`, fields);
    expect(answer.status).toBe(201);
    expect((await post(`${page}/${operator.id}/link`, fields)).status).toBe(409);
    expect((await submit(`/dashboard/invitations/${token}`)).status).toBe(404);
    expect((await submit(pathOf(secretIn(answer) ?? ""))).status).toBe(303);
  });
});

describe("a role", () => {
  test("is changed, once however often it is sent", async () => {
    const { post, page, colleague, named, done } = await openTeam();
    const { id } = await colleague();
    for (const _ of [1, 2]) {
      const answer = await post(`${page}/${id}/role`, { role: "support" });
      expect([answer.status, answer.headers["location"]]).toEqual([303, page]);
    }
    expect(await named("Bob")).toMatchObject([{ role: "support" }]);
    expect(await done("operator.role_changed")).toMatchObject([{ detail: "support" }]);
  });

  test("that is none comes back with those there are", async () => {
    const { post, page, colleague } = await openTeam();
    const { id } = await colleague();
    const answer = await post(`${page}/${id}/role`, { role: "owner" });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("Choose viewer, support, admin.");
  });

  test("of the last admin stays, and the page says why", async () => {
    const { post, page, operatorId, named } = await openTeam();
    const answer = await post(`${page}/${operatorId}/role`, { role: "viewer" });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("This is the last admin of an account. Nothing was changed.");
    expect(await named("Ada")).toMatchObject([{ role: "admin" }]);
  });

  test("of one's own may be given up, which leads away from the team", async () => {
    const { post, get, page, operatorId, signIn } = await openTeam();
    await signIn("admin");
    const answer = await post(`${page}/${operatorId}/role`, { role: "viewer" });
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/dashboard"]);
    expect((await get(page)).status).toBe(403);
  });

  test("or link that would reach into an account of others is not to be had", async () => {
    const { get, post, page, colleague, accountId, other, named } = await openTeam();
    const { id } = await colleague("viewer", [accountId, other.id]);
    const shown = await get(`${page}/${id}`);
    expect(saidIn(shown)).toContain("only an admin of all of them can");
    expect(shown.text).not.toContain(other.id);
    expect(formKeyIn(shown)).toBe("");
    const answers = [
      await post(`${page}/${id}/role`, { role: "admin" }),
      await post(`${page}/${id}/link`, { key: crypto.randomUUID() }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(secretIn(answer)).toBeUndefined();
    }
    expect(await named("Bob")).toMatchObject([{ role: "viewer" }]);
  });
});

describe("who is removed", () => {
  test("is asked for again, and then out of this account at once", async () => {
    const { get, post, page, signIn, accountId, other, at, named, done } = await openTeam();
    const bob = await signIn("support", { name: "Bob", accounts: [accountId, other.id] });
    const path = `${page}/${bob.operatorId}/remove`;
    expect(saidIn(await get(path))).toContain("They lose access to this account at once");
    expect((await bob.get(at("/payments"))).status).toBe(200);
    const answer = await post(path);
    expect([answer.status, answer.headers["location"]]).toEqual([303, page]);
    expect((await bob.get(at("/payments"))).status).toBe(404);
    expect((await bob.get(at("/payments", "test", other.id))).status).toBe(200);
    expect(await named("Bob")).toMatchObject([{ accounts: [other.id] }]);
    expect((await post(path)).status).toBe(404);
    expect(await done("operator.removed")).toHaveLength(1);
  });

  test("is not the last admin: the page says why", async () => {
    const { post, page, operatorId, named } = await openTeam();
    const answer = await post(`${page}/${operatorId}/remove`);
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("This is the last admin of an account.");
    expect(await named("Ada")).toHaveLength(1);
  });

  test("may be oneself, and is led away", async () => {
    const { get, post, page, operatorId, signIn } = await openTeam();
    await signIn("admin");
    expect(saidIn(await get(`${page}/${operatorId}/remove`))).toContain("Remove yourself?");
    const answer = await post(`${page}/${operatorId}/remove`);
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/dashboard"]);
    expect((await get(page)).headers["location"]).toBe("/dashboard/sign-in");
  });

  test("is nobody of another account", async () => {
    const { post, page, colleague, other, named } = await openTeam();
    const { id } = await colleague("admin", [other.id]);
    const fields = { remove: {}, role: { role: "viewer" }, link: { key: crypto.randomUUID() } };
    for (const [what, each] of Object.entries(fields)) {
      expect((await post(`${page}/${id}/${what}`, each)).status).toBe(404);
    }
    expect(await named("Bob")).toMatchObject([{ role: "admin", accounts: [other.id] }]);
  });
});
