/**
 * Replaces a CommonJS module until it is used, and loads it then. The file that requires it cannot tell the
 * difference: it reads, writes, calls, constructs and lists the module's own values. `form` is known when the
 * program is built: whether the module is a function, and whether it calls itself an ES module, which every
 * default import checks.
 */
module.exports = function standIn(load, { isFunction, isEsModule }) {
  let loaded;
  const real = () => (loaded ??= load());
  // A bound function has no `prototype` of its own, which the proxy would have to report.
  const target = isFunction ? function () {}.bind() : {};
  const proxy = new Proxy(target, {
    get: (_, name) => (name === "__esModule" ? isEsModule || undefined : real()[name]),
    set: (_, name, value) => Reflect.set(real(), name, value),
    has: (_, name) => Reflect.has(real(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(real(), name),
    defineProperty: (_, name, property) => Reflect.defineProperty(real(), name, property),
    ownKeys: () => Reflect.ownKeys(real()),
    // A proxy may report a property as fixed only if its target has it, too.
    getOwnPropertyDescriptor: (_, name) => {
      const property = Reflect.getOwnPropertyDescriptor(real(), name);
      return property && { ...property, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(real()),
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    construct: (_, args, made) => Reflect.construct(real(), args, made === proxy ? real() : made),
  });
  return proxy;
};
