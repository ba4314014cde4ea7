// Ends with an error unless the tag names the version in package.json: node bin/check-tag.js v1.0.0
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [, , tag] = process.argv;
if (tag !== `v${version}`) {
  console.error(`The tag is ${tag}, and package.json has the version ${version}.`);
  process.exitCode = 1;
}
