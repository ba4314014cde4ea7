// Loaded before a program by `--require`: writes where each socket of the process is sent to, and each name
// that is looked up, as lines of JSON into the file CONNECTIONS_FILE.
const { appendFileSync } = require("node:fs");
const dgram = require("node:dgram");
const dns = require("node:dns");
const net = require("node:net");

const record = (target) =>
  appendFileSync(process.env.CONNECTIONS_FILE, `${JSON.stringify(target)}\n`);

const sockets = net.Socket.prototype;
const connect = Reflect.get(sockets, "connect");
sockets.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const { host = "localhost", port = null, path = null } = Object(options);
  record({ to: path ?? `${host}:${port ?? options}` });
  return connect.apply(this, args);
};

const datagrams = dgram.Socket.prototype;
const send = Reflect.get(datagrams, "send");
datagrams.send = function (...args) {
  record({ to: "udp" });
  return send.apply(this, args);
};

for (const from of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(from))) {
    if (!/^(?:lookup|resolve|reverse)/.test(name)) continue;
    const original = from[name];
    from[name] = function (...args) {
      record({ name: args[0] });
      return original.apply(this, args);
    };
  }
}
