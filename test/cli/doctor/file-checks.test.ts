import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFiles } from "../../../src/cli/doctor/file-checks.ts";
import { isRoot, outsider } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const uid = process.getuid?.() ?? 0;

function createHome(mode = 0o700) {
  const home = createTemporaryHome();
  chmodSync(home, mode);
  return { home, directories: { config: home, data: home } };
}

test("files that only their owner can read are well, and so is a home that is yet to be made", () => {
  const { home, directories } = createHome();
  writeFileSync(join(home, "login-test.json"), "{}", { mode: 0o600 });
  expect(checkFiles(directories)).toMatchObject([{ status: "ok", help: null }]);
  const missing = join(home, "new", "home");
  expect(checkFiles({ config: missing, data: missing })).toMatchObject([{ status: "ok" }]);
  expect(readdirSync(home)).toEqual(["login-test.json"]);
});

test("a key's file that others can read fails: chmod 600", () => {
  const { home, directories } = createHome();
  const file = join(home, "login-live.json");
  writeFileSync(file, "{}", { mode: 0o644 });
  chmodSync(file, 0o644);
  expect(checkFiles(directories)).toMatchObject([
    { name: "files", status: "fail", help: `chmod 600 ${file}` },
  ]);
});

test.each([
  "listener-0123456789abcdef.lock",
  "listener-0123456789abcdef.lock-journal",
  "listener-0123456789abcdef.making",
  "payments.db",
  "payments.db-wal",
  "payments.db-shm",
  "payments.db-journal",
  "errors.html",
  ".payments-0123456789ab.partial",
])("every file that the command makes is looked at: %s", (name) => {
  const { home, directories } = createHome();
  const file = join(home, name);
  writeFileSync(file, "");
  chmodSync(file, 0o666);
  expect(checkFiles(directories)).toMatchObject([{ status: "fail", help: `chmod 600 ${file}` }]);
});

test("a folder to which others can write fails: chmod 700", () => {
  const { home, directories } = createHome(0o775);
  expect(checkFiles(directories)).toMatchObject([{ status: "fail", help: `chmod 700 ${home}` }]);
});

test("what belongs to another user fails: chown", () => {
  const { home, directories } = createHome();
  expect(checkFiles(directories, uid + 1)).toMatchObject([
    { status: "fail", help: `sudo chown ${uid + 1} ${home}` },
  ]);
});

test("root is warned of what belongs to another user: run as that user", ({ skip }) => {
  skip(!isRoot, "needs root");
  const { home, directories } = createHome();
  chownSync(home, outsider.uid ?? 0, outsider.gid ?? 0);
  const help = `sudo -u '#${outsider.uid}' payments doctor`;
  expect(checkFiles(directories)).toMatchObject([{ status: "warn", help }]);
});

test("a file in the place of the folder fails: another PAYMENTS_HOME", () => {
  const { home } = createHome();
  const file = join(home, "it's a file");
  writeFileSync(file, "");
  const help = "export PAYMENTS_HOME=FOLDER";
  expect(checkFiles({ config: file, data: file })).toMatchObject([{ status: "fail", help }]);
  const below = join(file, "below");
  expect(checkFiles({ config: below, data: below })).toMatchObject([{ status: "fail", help }]);
});

test("the file in a command is quoted for a shell", () => {
  const { home } = createHome();
  const folder = join(home, "it's mine");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const [check] = checkFiles({ config: folder, data: folder });
  expect(check?.help).toBe(`chmod 700 '${folder.replace("'", String.raw`'\''`)}'`);
});
