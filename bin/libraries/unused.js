// Replaces modules that conf and Fastify load but that are not used here: see index.ts.
const unused = () => {};
export { unused as Ajv2020, unused as default };
