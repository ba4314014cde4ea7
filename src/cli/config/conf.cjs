// Loaded only to read or write a file: loading conf takes longer than most commands run.
module.exports = (options) => new (require("conf").default)(options);
