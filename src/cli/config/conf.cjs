// Required only where there is a file, or is to be one: most commands are quicker than it is to load.
module.exports = (options) => new (require("conf").default)(options);
