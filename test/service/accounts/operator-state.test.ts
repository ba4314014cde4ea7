import { describe, expect, test } from "vitest";
import { roles } from "../../../src/contract/administration.ts";
import { isAllowed, computeSessionEnd } from "../../../src/service/accounts/operator-state.ts";

test.each([
  { ability: "look", who: ["viewer", "support", "admin"] },
  { ability: "refund", who: ["support", "admin"] },
  { ability: "administer", who: ["admin"] },
] as const)("$ability: $who", ({ ability, who }) => {
  expect(roles.filter((role) => isAllowed(role, ability))).toEqual(who);
});

describe("a session that began at 1 s ends", () => {
  const hourMs = 60 * 60_000;

  test.each([
    ["12 h after its beginning", 0, 12],
    ["12 h after its last use", 100, 112],
    ["12 h after its last use, up to 7 days", 156, 168],
    ["after 7 days, however late it was used", 167, 168],
  ])("%s", (_, usedAfterHours, endsAfterHours) => {
    const endMs = computeSessionEnd(1000, 1000 + usedAfterHours * hourMs);
    expect(endMs).toBe(1000 + endsAfterHours * hourMs);
  });
});
