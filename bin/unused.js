// In the place of packages that conf and Fastify load and nothing here makes use of: see lighter.js.
const unused = () => {};
export { unused as Ajv2020, unused as default };
