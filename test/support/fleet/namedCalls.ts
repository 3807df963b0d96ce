import { Client } from 'undici';

// Loaded before the program: each of its calls says which worker makes it, so that a platform can tell them apart.
const { dispatch } = Client.prototype;
Client.prototype.dispatch = function named(options, handler) {
  return dispatch.call(this, { ...options, headers: { ...options.headers, 'x-worker': process.env['TEST_WORKER'] ?? '' } }, handler);
};
