// What the tables count widths with. They require it, which a package that is an ES module alone does
// not allow. To count anything but ASCII takes data that is long in loading, so that waits until then.
module.exports = (text) =>
  /^[ -~]*$/.test(text) ? text.length : require("string-width-esm").default(text);
