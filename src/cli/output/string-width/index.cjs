// The tables' library requires `string-width` as CommonJS, but the package is an ES module only. The
// package also takes long to load, so Latin characters, which take one column each, are counted here.
const latin = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2013\u2014\u2018-\u201d\u2026]*$/;
module.exports = (text) =>
  latin.test(text) ? text.length : require("string-width-esm").default(text);
