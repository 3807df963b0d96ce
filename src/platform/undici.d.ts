// The client alone: the package's main file also loads fetch, caches and mocks, which costs about 50 ms at every start.
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
