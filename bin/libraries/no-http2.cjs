// Replaces node:http2, whose loading takes longer than a request over HTTP/1.1.
exports.constants = {};
