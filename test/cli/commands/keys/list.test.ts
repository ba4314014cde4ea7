import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";

describe.concurrent("payments keys list", () => {
  test("prints an empty list as JSON, and a note as text", async () => {
    const home = createTemporaryHome();
    expect(await runPayments(["keys", "list", "--json"], { home })).toEqual({
      stdout: '{"object":"list","data":[]}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(await runPayments(["keys", "list"], { home })).toEqual({
      stdout: "",
      stderr: "No keys. Make one with payments keys create.\n",
      exitCode: 0,
    });
  });

  test("shows every key without its secret, oldest first, ended ones too", async () => {
    const home = createTemporaryHome();
    const create = async (mode: string, name: string) =>
      parsePrinted(
        await runPayments(["keys", "create", "--mode", mode, "--name", name, "--json"], { home }),
      );
    const first = await create("test", "first");
    const second = await create("live", "second");
    await runPayments(["keys", "revoke", String(first["id"])], { home });

    const { key: secretOfFirst, ...shownOfFirst } = first;
    const { key: secretOfSecond, ...shownOfSecond } = second;
    const asJson = await runPayments(["keys", "list", "--json"], { home });
    expect(parsePrinted(asJson)).toEqual({
      object: "list",
      data: [{ ...shownOfFirst, revoked_at: expect.any(Number) as unknown }, shownOfSecond],
    });
    const asText = await runPayments(["keys", "list"], { home });
    const lines = asText.stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +MODE +NAME +KEY +CREATED +LAST USED +STATE$/);
    expect(lines[1]).toMatch(/^key_\S+ +test +first +…\w{4} .+ revoked \d{4}-/);
    expect(lines[2]).toMatch(/^key_\S+ +live +second +…\w{4} .+ active$/);
    for (const secret of [secretOfFirst, secretOfSecond]) {
      expect(asJson.stdout + asText.stdout).not.toContain(secret);
    }
  });
});
