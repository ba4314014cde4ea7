// Replaces undici's index, which loads all parts at once: here each part is loaded when it is used. Its test,
// test/bin/libraries.test.ts, compares the two.
module.exports = {
  get Pool() {
    return require("undici/lib/dispatcher/pool.js");
  },
  get buildConnector() {
    return require("undici/lib/core/connect.js");
  },
  get EnvHttpProxyAgent() {
    const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");
    Object.assign(Dispatcher.prototype, require("undici/lib/api/index.js")); // as the index does; tunnels use it
    return require("undici/lib/dispatcher/env-http-proxy-agent.js");
  },
};
