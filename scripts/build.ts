import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/** Makes `dist/`: the package as it is published, one bundled file started by a `bin`, with no dependencies to install. */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const bundle = await rolldown({
  input: 'src/main.ts',
  platform: 'node',
  // jsonc-parser's `main` is a format that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  // Optional parts of packages that are looked for at run time and not needed here.
  external: ['bufferutil', 'utf-8-validate'],
  logLevel: 'warn',
});
await bundle.write({
  file: 'dist/bridge.js',
  format: 'esm',
  minify: true,
  codeSplitting: false,
  banner: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
});
await bundle.close();

// The compile cache keeps V8's work from one start to the next; it only holds for what is imported after it was enabled.
writeFileSync(
  'dist/heating2mqtt.js',
  "#!/usr/bin/env node\nimport { enableCompileCache } from 'node:module';\n\nenableCompileCache();\nawait import('./bridge.js');\n",
);
chmodSync('dist/heating2mqtt.js', 0o755);

const { name, version, description, license, type, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const released = { name, version, description, license, type, engines, bin: { heating2mqtt: 'heating2mqtt.js' } };
writeFileSync('dist/package.json', `${JSON.stringify(released, null, 2)}\n`);
for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(file, `dist/${file}`);
cpSync('config/example.yaml', 'dist/example.yaml');
