// In the place of packages that conf loads and nothing here makes use of: see build.js.
const unused = () => {};
export { unused as Ajv2020, unused as default };
