import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { tooOldNode } from '../src/shared/version.ts';
import { cacheFolder } from './cacheFolder.ts';
import { runCompiled } from './compiledCode.ts';

// The first lines of the release, which scripts/build.ts bundles into dist/heating2mqtt.js; they run the bundle beside them.

/** The digest of that bundle, put in by scripts/build.ts. */
declare const BUNDLE_DIGEST: string;

// V8 is told to save memory, since a bridge does little and waits long, and to collect the old generation less often than it then would
// (docs/decisions/speed.md); and to check kept code for damage, which would end the process.
const V8_FLAGS = ['--optimize-for-size', '--heap-growing-percent=60', '--verify-snapshot-checksum'];

const tooOld = tooOldNode();
if (tooOld !== undefined) {
  // The rest of the release may not even be read by such a Node.
  console.error(tooOld);
  process.exit(1);
}
for (const flag of V8_FLAGS) setFlagsFromString(flag);
const folder = cacheFolder();
// Each command needs other parts of the code.
const command = process.argv.slice(2).find((word) => word !== '--debug') ?? '';
const keptIn = folder === undefined ? undefined : join(folder, /^[a-z]+$/.test(command) ? command : 'other');
runCompiled(join(import.meta.dirname, 'bridge.js'), BUNDLE_DIGEST, keptIn);
