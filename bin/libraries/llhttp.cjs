// Replaces the module that holds undici's parser of responses, which is WebAssembly. V8 compiles its largest function a
// second time, optimised, after a response or two: 45 ms of processor time on another thread, for which the command
// waits before it ends. A program that reads hundreds of responses still gets the optimised one.
const { setFlagsFromString } = process.getBuiltinModule("node:v8");
const defaultBudget = 13_000_000;

setFlagsFromString(`--wasm-tiering-budget=${100 * defaultBudget}`);
// undici makes the parser, which takes the budget over, as soon as it has this module. Stored code is accepted only with
// the flags that it was compiled with, so they are restored at once.
queueMicrotask(() => setFlagsFromString(`--wasm-tiering-budget=${defaultBudget}`));

module.exports = require("undici/lib/llhttp/llhttp_simd-wasm.js");
