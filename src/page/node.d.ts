/** Node API used by core code that the page does not call. Needed to type-check that code here. */
declare const process: {
  getBuiltinModule(name: 'node:crypto'): { hash(algorithm: string, data: string | Uint8Array, encoding: 'base64' | 'hex'): string };
};
