// Writes what V8 compiles of the built command into a folder: node bin/executable/compile.js FOLDER
// The commonest commands are run here, so that their functions are compiled. None of them may set a flag
// of V8: V8 accepts only code that was compiled with the same flags.
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { loader, wrapModule } from "./load.js";
import { root as namedRoot } from "./root.js";

const [node, , folder] = process.argv;
const root = `${process.cwd()}/dist/`;
const flags = cachedDataVersionTag();
const texts = new Map(
  globSync("dist/*.cjs", { exclude: ["dist/stored-code.cjs"] }).map((file) => [
    basename(file),
    readFileSync(file, "utf8"),
  ]),
);
const { load, scripts } = loader({ root, namedRoot, read: (name) => ({ text: texts.get(name) }) });

for (const name of Object.keys(process.env)) {
  if (name.startsWith("PAYMENTS_")) Reflect.deleteProperty(process.env, name);
}
const home = mkdtempSync(join(tmpdir(), "payments-package-"));
process.env.PAYMENTS_HOME = home;
await run("create", "--amount", "4999", "--currency", "eur", "--test-card", "visa");
await run("list");
const service = createServer((_, response) => {
  response.end('{"object":"list","url":"/v1/payments","data":[],"has_more":false}');
});
await once(service.listen(0, "127.0.0.1"), "listening");
process.env.PAYMENTS_API_KEY = `svc_test_sk_${"0".repeat(43)}`;
await run("list", "--base-url", `http://127.0.0.1:${service.address().port}`);
service.close();
rmSync(home, { recursive: true });

if (cachedDataVersionTag() !== flags) throw new Error("A command has set a flag of V8's.");
for (const [name, text] of texts) {
  const script = scripts.get(name) ?? new Script(wrapModule(text));
  writeFileSync(join(folder, `${name}.cache`), script.createCachedData());
}

async function run(...argv) {
  process.argv = [node, "payments", ...argv];
  await load("main.cjs").main(root);
  if (process.exitCode) throw new Error(`${argv.join(" ")} failed.`);
}
