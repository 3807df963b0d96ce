import type { Plugin } from 'rolldown';

/** A line of a package that loads something at the start, and the same loading it at its first use; or one that keeps what nobody needs. */
type Late = { readonly file: string; readonly line: string; readonly late: string };

// What a bridge on a plain network never uses, yet is loaded by every start: HTTP/2 (allowH2 is off), proxies, TLS to the broker,
// WebSockets, topic aliases.
const LATE: readonly Late[] = [
  {
    file: 'undici/lib/dispatcher/client.js',
    line: "const connectH2 = require('./client-h2.js')",
    late: "const connectH2 = (...args) => require('./client-h2.js')(...args)",
  },
  ...['tcp', 'tls'].map((name) => ({
    file: `mqtt/build/lib/connect/${name}.js`,
    line: 'const socks_1 = __importDefault(require("./socks"));',
    late: 'const socks_1 = { default: (...args) => require("./socks").default(...args) };',
  })),
  ...['ws', 'wss'].map((name) => ({
    file: 'mqtt/build/lib/connect/index.js',
    line: `protocols.${name} = require('./ws').streamBuilder;`,
    late: `protocols.${name} = (...args) => require('./ws').streamBuilder(...args);`,
  })),
  ...['ssl', 'mqtts'].map((name) => ({
    file: 'mqtt/build/lib/connect/index.js',
    line: `protocols.${name} = require('./tls').default;`,
    late: `protocols.${name} = (...args) => require('./tls').default(...args);`,
  })),
  // The bridge sends no aliases, and Mosquitto offers them to each client: what keeps them is made at each connection.
  ...[
    'const topic_alias_send_1 = __importDefault(require("../topic-alias-send"));',
    "client['topicAliasSend'] = new topic_alias_send_1.default(packet.properties.topicAliasMaximum);",
  ].map((line) => ({ file: 'mqtt/build/lib/handlers/connack.js', line, late: '' })),
  {
    // Two bytes for each length of a packet, each of which keeps 64 kB: the pool of Node from which it is taken.
    file: 'mqtt-packet/writeToStream.js',
    line: 'if (num < 16384) varByteIntCache[num] = buffer',
    late: '',
  },
  {
    // A copy of each message for the next connection of a client, and none of ours has a second one.
    file: 'mqtt/build/lib/client.js',
    line: 'storePacket = (0, default_1.default)(packet);',
    late: '',
  },
];

/**
 * Modules of Node that only some commands use, or not at the start. Imported, they would be loaded before the first line of the bundle;
 * so each is taken where the module that imports it begins. Functions of `node:crypto`, which takes 10 ms, are taken when they are called:
 * some of the modules that import it are needed by each start.
 */
const LATE_IMPORT =
  /^import (?:(\w+)|\{([^}]*)\}) from '((?:node:)?(?:crypto|https?|readline|vm|worker_threads|zlib|stream\/consumers)|util)';?$/gm;

const lateImports = (code: string): string =>
  code.replace(LATE_IMPORT, (_, whole: string | undefined, names: string | undefined, module: string) => {
    const values = (names ?? '').split(',').map((name) => name.trim());
    const taken = values.filter((name) => name !== '' && !name.startsWith('type ')).map((name) => name.replace(' as ', ': '));
    const called = (name: string): string => `const ${name} = (...args) => process.getBuiltinModule('${module}').${name}(...args);`;
    if (module === 'node:crypto' && whole === undefined) return taken.map(called).join(' ');
    return `const ${whole ?? `{ ${taken.join(', ')} }`} = process.getBuiltinModule('${module}');`;
  });

/** A module of CommonJS, as rolldown has it inside the bundle. */
const WRAPPED = /^(.*__commonJSMin\()\((\([^()\n]*\) => \{\n[\s\S]*?^\})\)\);$/gm;

/** Has the packages load late what is rarely used: 9 MB, and 50 ms of each start (docs/decisions/speed.md). Throws where a package has changed. */
export const loadLate = (): Plugin => ({
  name: 'load-late',
  // V8 compiles a function in parentheses at once, thus every module at every start, even those that are never loaded.
  renderChunk: (code) => code.replace(WRAPPED, '$1$2);'),
  transform: (code, id) => {
    const here = LATE.filter(({ file }) => id.replaceAll('\\', '/').endsWith(`/node_modules/${file}`));
    return here.reduce((text, { file, line, late }) => {
      if (!text.includes(line)) throw new Error(`${file} no longer has the line ${line}: look at scripts/late.ts`);
      return text.replace(line, () => late);
    }, lateImports(code));
  },
});
