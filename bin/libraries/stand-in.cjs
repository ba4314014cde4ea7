/**
 * Stands for a CommonJS module until something of it is used, and loads it then. To whoever requires it
 * the stand-in is the module: what is read, written, called, constructed or listed is the module's own.
 * `form` is known when the program is built: whether the module is a function, and whether it calls
 * itself an ES module, which is asked of every module that is imported by default.
 */
module.exports = function standIn(load, { isFunction, isEsModule }) {
  let loaded;
  const real = () => (loaded ??= load());
  // A bound function has no `prototype` of its own that would have to be told of.
  const target = isFunction ? function () {}.bind() : {};
  const proxy = new Proxy(target, {
    get: (_, name) => (name === "__esModule" ? isEsModule || undefined : real()[name]),
    set: (_, name, value) => Reflect.set(real(), name, value),
    has: (_, name) => Reflect.has(real(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(real(), name),
    defineProperty: (_, name, property) => Reflect.defineProperty(real(), name, property),
    ownKeys: () => Reflect.ownKeys(real()),
    // A proxy may only tell of a property as fixed that its target has, too.
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
