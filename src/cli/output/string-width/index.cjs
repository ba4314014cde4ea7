// What the tables count widths with. They require it, which a package that is an ES module alone does
// not allow. And what knows the widths of all characters is long in loading: Latin ones take a column
// each.
const latin = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2013\u2014\u2018-\u201d\u2026]*$/;
module.exports = (text) =>
  latin.test(text) ? text.length : require("string-width-esm").default(text);
