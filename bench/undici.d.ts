// The client and its `request` alone: the package's main file also loads fetch, caches and mocks.
declare module 'undici/lib/api/api-request.js' {
  import type { Client } from 'undici';

  const request: (this: Client, options: Parameters<Client['request']>[0]) => ReturnType<Client['request']>;
  export default request;
}

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
