import { join } from 'node:path';
import type { InputOptions } from 'rolldown';
import { loadLate } from './late.ts';
import { embedPage } from './pageBuild.ts';

const beside = (name: string): string => join(import.meta.dirname, name);

/** How the release is bundled out of the sources and the packages that they import. */
export const BUNDLE: InputOptions = {
  input: 'src/main.ts',
  platform: 'node',
  plugins: [loadLate(), embedPage()],
  // jsonc-parser's `main` is a format that no bundler can follow.
  resolve: { mainFields: ['module', 'main'], alias: { debug: beside('noDebug.cjs'), undici$: beside('undiciClient.cjs') } },
  // Optional parts of packages that are looked for at run time and not needed here.
  external: ['bufferutil', 'utf-8-validate'],
  // V8 compiles a function in parentheses at once, thus every module at every start; those of CommonJS lose theirs in `loadLate`.
  optimization: { pifeForModuleWrappers: false },
  // As in Node's own copy of undici: without Milo, its second parser of HTTP/1.1, which is off, in 190 kB.
  transform: { define: { esbuildDetection: 'true' } },
  logLevel: 'warn',
};
