import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { BUNDLE } from './bundle.ts';
import { licenceTexts } from './licences.ts';
import { bundleCard, bundlePage, CARD_NAME } from './pageBuild.ts';

/** Makes `dist/`: the package as it is published (`npm publish ./dist`), one bundled file started by a `bin` (and one for a thread that reads calendars), with no dependencies to install. */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const bundle = await rolldown(BUNDLE);
// CommonJS, since an ES module that imports node:http makes Node load all of its own fetch and WebSocket (35 ms, 17 MB).
const { output } = await bundle.write({ file: 'dist/bridge.js', format: 'cjs', minify: true, codeSplitting: false });
await bundle.close();
const thread = await rolldown({ ...BUNDLE, input: 'src/calendar/icsWorker.ts' });
const { output: threadOutput } = await thread.write({ file: 'dist/icsWorker.js', format: 'cjs', minify: true, codeSplitting: false });
await thread.close();
// The page is in the bundle as text, so the bundler does not name its modules.
const modules = [
  ...[...output, ...threadOutput].flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])),
  ...(await bundlePage()).modules,
];
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenceTexts(modules));

// With one letter beyond Latin-1 V8 keeps the whole text with two bytes a character.
// The starter runs it inside a function, where no line may begin with `#!`.
const ascii = readFileSync('dist/bridge.js', 'utf8')
  .replace(/^#!.*/, '')
  .replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
writeFileSync('dist/bridge.js', ascii);

const starter = await rolldown({
  input: 'scripts/starter.ts',
  platform: 'node',
  logLevel: 'warn',
  transform: { define: { BUNDLE_DIGEST: JSON.stringify(createHash('sha256').update(ascii).digest('hex')) } },
});
await starter.write({ file: 'dist/start.js', format: 'cjs', minify: true });
await starter.close();

const { name, version, description, keywords, license, homepage, repository, bugs, engines } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
writeFileSync('dist/heating2mqtt.js', readFileSync('scripts/bin.cjs', 'utf8').replace('{{needed}}', engines.node.replace('>=', '')));
chmodSync('dist/heating2mqtt.js', 0o755);

writeFileSync(`dist/${CARD_NAME}`, await bundleCard());
for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(file, `dist/${file}`);
for (const file of ['example.yaml', 'schema.json']) cpSync(`config/${file}`, `dist/${file}`);
const released = {
  ...{ name, version, description, keywords, license, homepage, repository, bugs, engines },
  type: 'commonjs',
  bin: { heating2mqtt: 'heating2mqtt.js' },
  files: readdirSync('dist').toSorted(),
};
writeFileSync('dist/package.json', `${JSON.stringify(released, null, 2)}\n`);
