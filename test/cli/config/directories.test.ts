import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveDirectories } from "../../../src/cli/config/blank-settings.ts";

const byDefault = {
  config: join(homedir(), ".config", "payments"),
  data: join(homedir(), ".local", "share", "payments"),
};

describe("settings and data are stored", () => {
  test("in the XDG directories of the user by default", () => {
    expect(resolveDirectories({})).toEqual(byDefault);
  });

  test("in the XDG directories that the environment names", () => {
    const env = { XDG_CONFIG_HOME: "/srv/config", XDG_DATA_HOME: "/srv/data" };
    expect(resolveDirectories(env)).toEqual({
      config: "/srv/config/payments",
      data: "/srv/data/payments",
    });
    expect(resolveDirectories({ XDG_DATA_HOME: "/srv/data" })).toEqual({
      ...byDefault,
      data: "/srv/data/payments",
    });
  });

  test.each(["", "config", "./config", "~/config"])(
    "in the default ones if XDG_CONFIG_HOME is %j, which is no absolute path",
    (path) => {
      expect(resolveDirectories({ XDG_CONFIG_HOME: path, XDG_DATA_HOME: path })).toEqual(byDefault);
    },
  );

  test.each(["", "here"])(
    "in the home folder of the system's user database if HOME is %j",
    (path) => {
      const before = process.env["HOME"];
      process.env["HOME"] = path;
      try {
        const ada = { homedir, userInfo: () => ({ homedir: "/home/ada" }) };
        expect(resolveDirectories({}, ada).data).toBe("/home/ada/.local/share/payments");
      } finally {
        process.env["HOME"] = before;
      }
    },
  );

  test.each([
    ["HOME is not set", throwNoUser],
    ["HOME is empty", () => ""],
  ])("below the root, where nothing can be made, for a number without a user: %s", (_, home) => {
    expect(resolveDirectories({}, { homedir: home, userInfo: throwNoUser })).toEqual({
      config: "/.config/payments",
      data: "/.local/share/payments",
    });
  });

  test("in PAYMENTS_HOME itself, which overrides everything else", () => {
    const env = { PAYMENTS_HOME: "/srv/home", XDG_CONFIG_HOME: "/a", XDG_DATA_HOME: "/b" };
    expect(resolveDirectories(env)).toEqual({ config: "/srv/home", data: "/srv/home" });
  });

  test("in the XDG directories if PAYMENTS_HOME is empty", () => {
    expect(resolveDirectories({ PAYMENTS_HOME: "" })).toEqual(byDefault);
  });
});

/** Node's functions throw this if the system has no user with this number. */
function throwNoUser(): never {
  throw new Error("uv_os_get_passwd returned ENOENT (no such file or directory)");
}
