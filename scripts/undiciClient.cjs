// In the place of the package `undici` in the release: its client alone. The whole package also loads fetch, caches and mocks: 270 kB more
// of code, and 7 to 10 MB of memory (docs/decisions/speed.md).
module.exports = { Client: require('undici/lib/dispatcher/client.js') };
