// Stands in the place of undici's index, which loads all parts of it at once: here each is loaded when it is
// used. That each is the same as the index has is a test's to see: test/bin/libraries.test.ts.
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
