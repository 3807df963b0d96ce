/** What core code takes from Node in functions that the page does not call: without it the types of that code cannot be checked here. */
declare const process: {
  getBuiltinModule(name: 'node:crypto'): { hash(algorithm: string, data: string | Uint8Array, encoding: 'base64' | 'hex'): string };
};
