// In the place of modules that conf and Fastify load and nothing here makes use of: see index.ts.
const unused = () => {};
export { unused as Ajv2020, unused as default };
