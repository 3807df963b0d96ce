import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { cacheFolder } from './cacheFolder.ts';
import { runCompiled } from './compiledCode.ts';

// Runs the bundle. scripts/build.ts makes dist/start.js of it, beside the bundle; scripts/bin.cjs requires that.

/** The digest of that bundle, put in by scripts/build.ts. */
declare const BUNDLE_DIGEST: string;

// V8 is told to save memory, since a bridge does little and waits long, and to collect the old generation less often than it then would
// (docs/decisions/speed.md); and to check kept code for damage, which would end the process.
const V8_FLAGS = ['--optimize-for-size', '--heap-growing-percent=60', '--verify-snapshot-checksum'];

// Of these, Node brings compiled code. V8 refuses it once a flag is set, and compiling them again takes 8 ms of each start.
// Not `sqlite`, of which Node 22 warns.
const BEFORE_FLAGS = ['assert', 'cluster', 'dns', 'net', 'os', 'process', 'timers/promises', 'vm', 'worker_threads'];

for (const name of BEFORE_FLAGS) process.getBuiltinModule(`node:${name}`);
for (const flag of V8_FLAGS) setFlagsFromString(flag);
const folder = cacheFolder();
// Each command needs other parts of the code.
const command = process.argv.slice(2).find((word) => word !== '--debug') ?? '';
const keptIn = folder === undefined ? undefined : join(folder, /^[a-z]+$/.test(command) ? command : 'other');
runCompiled(join(import.meta.dirname, 'bridge.js'), BUNDLE_DIGEST, keptIn);
