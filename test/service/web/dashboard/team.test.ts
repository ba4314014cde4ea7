import { describe, expect, test } from "vitest";
import type { Role } from "../../../../src/contract/operator.ts";
import {
  command,
  formKeyOf,
  openDashboard,
  secretOf,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

/** An admin of the first of two accounts. */
async function openTeam() {
  const opened = await openDashboard();
  const { signIn, at, service, accountId } = opened;
  const other = await service.createAccount({ name: "Other" });
  return {
    ...opened,
    ...(await signIn()),
    other,
    page: at("/team"),
    findByName: async (name: string) =>
      (await service.listOperators()).filter((each) => each.name === name),
    inviteBob: async (role: Role = "viewer", accounts = [accountId]) =>
      await service.inviteOperator({ name: "Bob", role, accounts }, command),
  };
}

const getPath = (link: string) => new URL(link).pathname;

test("the team lists the operators of the account, and marks the visitor", async () => {
  const { get, page, inviteBob, service, other, operatorId } = await openTeam();
  await inviteBob("support");
  const foreign = { name: "Mallory", role: "admin", accounts: [other.id] } as const;
  await service.inviteOperator(foreign, command);
  const answer = await get(page);
  expect(textOf(answer)).toMatch(/Ada you admin active.*Bob support invited never/);
  expect(answer.text).not.toContain("Mallory");
  expect((await get(`${page}/${operatorId}`)).status).toBe(200);
});

test("an invitation signs in to this account, and a fresh link replaces it", async () => {
  const { get, post, page, submit, visit, findByName, accountId } = await openTeam();
  const form = { key: formKeyOf(await get(page)), name: "Bob", role: "support" };
  const first = secretOf(await post(page, form)) ?? "";
  const [bob] = await findByName("Bob");
  expect(bob).toMatchObject({ role: "support", accounts: [accountId] });
  expect((await visit(getPath(first))).status).toBe(200);
  const key = formKeyOf(await get(`${page}/${bob?.id}`));
  const answer = await post(`${page}/${bob?.id}/link`, { key });
  expect(textOf(answer)).toContain("It works once, for 15 minutes");
  expect((await submit(getPath(first))).status).toBe(404);
  expect((await submit(getPath(secretOf(answer) ?? ""))).status).toBe(303);
});

describe("a role", () => {
  test("that does not exist is refused with a list of roles", async () => {
    const { post, page, inviteBob } = await openTeam();
    const { operator } = await inviteBob();
    const answer = await post(`${page}/${operator.id}/role`, { role: "owner" });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("Choose viewer, support, admin.");
  });

  test("or link that would affect another account is refused", async () => {
    const { get, post, page, inviteBob, accountId, other, findByName } = await openTeam();
    const { id } = (await inviteBob("viewer", [accountId, other.id])).operator;
    const view = await get(`${page}/${id}`);
    expect(textOf(view)).toContain("only an admin of all of them can");
    expect(view.text).not.toContain(other.id);
    expect(formKeyOf(view)).toBe("");
    for (const answer of [
      await post(`${page}/${id}/role`, { role: "admin" }),
      await post(`${page}/${id}/link`, { key: crypto.randomUUID() }),
    ]) {
      expect([answer.status, secretOf(answer)]).toEqual([403, undefined]);
    }
    expect(await findByName("Bob")).toMatchObject([{ role: "viewer" }]);
  });
});

test("a removed operator loses this account at once, and no other", async () => {
  const { post, page, signIn, accountId, other, at, findByName } = await openTeam();
  const accounts = [accountId, other.id];
  const bob = await signIn("support", { name: "Bob", accounts });
  expect((await bob.get(at("/payments"))).status).toBe(200);
  await post(`${page}/${bob.operatorId}/remove`);
  expect((await bob.get(at("/payments"))).status).toBe(404);
  expect((await bob.get(at("/payments", "test", other.id))).status).toBe(200);
  expect(await findByName("Bob")).toMatchObject([{ accounts: [other.id] }]);
});

describe.each([
  ["role", { role: "viewer" }, 403, undefined],
  ["remove", {}, 303, "/dashboard/sign-in"],
] as const)("one's own %s", (action, fields, status, location) => {
  test("is refused for the last admin", async () => {
    const { post, page, operatorId, findByName } = await openTeam();
    const answer = await post(`${page}/${operatorId}/${action}`, fields);
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("This is the last admin of an account. Nothing was changed.");
    expect(await findByName("Ada")).toMatchObject([{ role: "admin" }]);
  });

  test("is possible with another admin, and redirects away from the team", async () => {
    const { get, post, page, operatorId, signIn } = await openTeam();
    await signIn("admin");
    expect(textOf(await get(`${page}/${operatorId}/remove`))).toContain("Remove yourself?");
    const answer = await post(`${page}/${operatorId}/${action}`, fields);
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/dashboard"]);
    const next = await get(page);
    expect([next.status, next.headers["location"]]).toEqual([status, location]);
  });
});
