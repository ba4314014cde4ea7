// The entry point of the executable that bin/package.js makes, which contains the built command file by file.
import { getAsset, getRawAsset } from "node:sea";
import { loader } from "./load.js";
import { root } from "./root.js";

process.removeAllListeners("warning"); // Node's own warnings are for developers: see bin/run.js
const { load } = loader({
  root,
  read: (name) => ({
    text: getAsset(name, "utf8"),
    code: Buffer.from(getRawAsset(`${name}.cache`)),
  }),
});

// A program of its own, such as the check of a copied database, is started by its file's name.
const [, , file = ""] = process.argv;
if (file.startsWith(root)) {
  process.argv.splice(1, 1);
  load(file.slice(root.length));
} else {
  void load("main.cjs").main(root);
}
