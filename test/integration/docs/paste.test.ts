import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingRows } from '../../../src/config/documentation.ts';
import { SCHEMA } from '../../../src/config/schema.ts';
import { type Block, blocksIn, blocksOf, PAGES, readPage } from '../../support/docs/blocks.ts';
import { type PasteWorld, startPasteWorld } from '../../support/docs/pasteWorld.ts';
import { readShell } from '../../support/docs/shell.ts';
import { isRun, pasteShell, SHELL_RULES } from '../../support/docs/shellRules.ts';
import { TEXT_RULES, textRuleOf } from '../../support/docs/textRules.ts';

/** Pastes a block, and gives the names of its rules. Without a world only what needs none is tested. */
const paste = async (block: Block, world?: PasteWorld): Promise<readonly string[]> => {
  try {
    if (block.language === 'sh') return await pasteShell(block.text, world);
    const [name, rule] = textRuleOf(block);
    if ('check' in rule) rule.check(block.text);
    else if (world !== undefined) await rule.run(block.text, world);
    return [name];
  } catch (cause) {
    throw new Error(`${block.page}:${block.line}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
};

const isExecuted = (block: Block): boolean =>
  block.language === 'sh' ? readShell(block.text).flat().some(isRun) : 'run' in textRuleOf(block)[1];

/** One demo for all pages. */
let world: PasteWorld;
beforeAll(async () => {
  world = await startPasteWorld();
});
afterAll(() => world.close());

describe('the blocks of the documentation', () => {
  const blocks = PAGES.flatMap(blocksOf);

  test('have a rule each, which finds nothing wrong', async () => {
    const used = new Set((await Promise.all(blocks.map((block) => paste(block)))).flat());
    expect(blocks.length).toBeGreaterThan(50);
    // A rule that nothing uses any more would say that something is tested which is not there.
    expect([...SHELL_RULES, ...Object.keys(TEXT_RULES)].filter((name) => !used.has(name))).toEqual([]);
  });

  test.each([...new Set(blocks.filter(isExecuted).map(({ page }) => page))])(
    'those of %s are carried out by the demo, one after the other',
    async (page) => {
      for (const block of blocksOf(page)) await paste(block, world);
    },
  );
});

describe('commands within sentences', () => {
  const COMMAND = /`((?:heating2mqtt|npx|docker|podman|systemctl|journalctl|npm (?:ci|install|run|start|test))(?: [^`…<]+)?)`/g;
  /** A program that is only named is no command. */
  const commandsIn = (text: string): readonly string[] =>
    [...text.matchAll(COMMAND)].map(([, command = '']) => command).filter((command) => command.includes(' '));

  test('are recognized', () =>
    expect(commandsIn('`heating2mqtt`, `heating2mqtt run`, `npm ci && npm start`')).toEqual(['heating2mqtt run', 'npm ci && npm start']));

  test.each(PAGES)('have a rule each: %s', async (page) => {
    for (const command of commandsIn(readPage(page))) await expect(pasteShell(command, undefined), command).resolves.not.toEqual([]);
  });
});

describe('settings that the documentation names', () => {
  const rows = settingRows();
  // Options of commands, too, may stand in the environment.
  const options = ['HEATING2MQTT_NATS', 'HEATING2MQTT_FLEET_KEY'];
  const variables = new Set([...options, ...rows.flatMap(({ env }) => [env, `${env}_FILE`])]);
  // A name, or a section with more below it.
  const isSetting = (name: string): boolean => rows.some((row) => row.name === name || row.name.startsWith(`${name}.`));
  const SECTION = Object.keys(SCHEMA).join('|');
  const HUBS: readonly string[] = ['mqtt.publish', 'calendar.get_events', 'calendar.holidays'];

  const NAME = new RegExp(`\`((?:${SECTION})\\.[a-z_.]+)(?::[^\`]*)?\``, 'g');
  const VARIABLE = /HEATING2MQTT_[A-Z0-9_]*[A-Z0-9]/g;
  const unknownIn = (text: string): readonly string[] => [
    ...[...text.matchAll(NAME)].map(([, name = '']) => name).filter((name) => !isSetting(name) && !HUBS.includes(name)),
    ...[...text.matchAll(VARIABLE)].map(([name]) => name).filter((name) => !variables.has(name)),
  ];

  test('are recognized', () => {
    expect(unknownIn('`mqtt.url`, `platform.paths`, `log.level: debug`, HEATING2MQTT_MQTT_PASSWORD_FILE=a')).toEqual([]);
    expect(unknownIn('`mqtt.uri`, `log.levels: debug`, HEATING2MQTT_MQTT_URI=a')).toEqual([
      'mqtt.uri',
      'log.levels',
      'HEATING2MQTT_MQTT_URI',
    ]);
  });

  test.each(PAGES)('exist: %s', (page) => expect(unknownIn(readPage(page))).toEqual([]));
});

describe('topics that the documentation names', () => {
  /** Topics of the device `home`; the page of other tools writes `D` for its first levels. */
  const topicsIn = (text: string): readonly string[] =>
    [...text.matchAll(/(?<![\w/.])(?:heating2mqtt\/home|D)\/[\w./+#-]*[\w#+]/g)].map(([topic]) =>
      topic.replace(/^D\//, 'heating2mqtt/home/'),
    );
  const isProperty = (topic: string): boolean => {
    const [, feature, name = ''] = /^(.*)\/([^/]+)$/.exec(topic) ?? [];
    const [record] = world.retained(`${feature}/record`);
    return record !== undefined && Object.hasOwn(JSON.parse(record).properties, name);
  };
  const isUsed = (topic: string): boolean => {
    // A topic, a filter, or a feature.
    if (world.retained(topic).length + world.retained(`${topic}/#`).length > 0 || topic === 'heating2mqtt/home/result') return true;
    const [, shown, ending] = /^(.*)\/(set|result|validate|call\/\w+|undo\/set|until\/set)$/.exec(topic) ?? [];
    if (topic.endsWith('/field')) return isProperty(topic.slice(0, -'/field'.length));
    if (shown === undefined || ending === undefined) return false;
    // What can be written is shown, or is a feature, or has no value now.
    return world.retained(`${shown.replace(/\/(?:undo|until|call|surplus)$/, '')}/#`).length > 0 || isProperty(shown);
  };

  test('are recognized', () => {
    expect(topicsIn('`heating2mqtt/home/a/b:.* x`, D/c/+/d.')).toEqual(['heating2mqtt/home/a/b', 'heating2mqtt/home/c/+/d']);
    expect(isUsed('heating2mqtt/home/heating/dhw/temperature/main/value/set')).toBe(true);
    expect(isUsed('heating2mqtt/home/heating/dhw/temperature/mian/value/set')).toBe(false);
  });

  test.each(PAGES)('are those of the demo: %s', (page) => {
    expect(topicsIn(readPage(page)).filter((topic) => !isUsed(topic))).toEqual([]);
  });
});

describe('a mistake in a block is found', () => {
  const mistakes: readonly (readonly [language: string, text: string, message: RegExp])[] = [
    ['sh', 'mosquitto_pbu -t a -m b', /no rule/],
    ['sh', 'heating2mqtt chekc', /chekc/],
    ['sh', 'heating2mqtt run && heating2mqtt login --pasta', /--pasta/],
    ['sh', 'docker run -d -p 80:80 ghcr.io/heating2mqtt/heating2mqtt', /port/],
    ['sh', 'docker run -d ghcr.io/somebody/heating2mqtt', /image/],
    ['sh', 'docker exec heating2mqtt node /app/heating2mqtt.js chekc', /chekc/],
    ['sh', 'npm run biuld', /biuld/],
    ['sh', 'npx heating2mqt', /heating2mqt/],
    ['yaml', 'mqtt: { urll: mqtt://localhost }', /urll/],
    ['yaml', 'mqttt: { url: mqtt://localhost }', /no rule/],
    ['json', '{"status":"aplied"}', /aplied/],
    ['toml', 'x = 1', /no rule/],
    ['', 'text without a language', /no rule/],
  ];
  test.each(mistakes)('%s: %s', async (language, text, message) => {
    await expect(paste({ page: 'page.md', line: 1, language, text })).rejects.toThrow(message);
  });

  test('a block that is executed fails where the heating does not take it', async () => {
    const topic = 'heating2mqtt/home/heating/circuits/0/heating/schedule';
    const wrong = [
      ['sh', `mosquitto_pub -t ${topic}/set -m 'mon 6-8 nromal'`],
      ['sh', 'mosquitto_sub -t heating2mqtt/hme/#'],
      ['sh', "heating2mqtt schedule set circuits.0 'mon 6:05-8 normal'"],
      ['json', '{"mnday":[]}'],
      ['js', "setState('mqtt.0.heating2mqtt.home.heating.dhw.temperature', 52);"],
      ['yaml', 'action: text.set_value\ntarget: { entity_id: text.nobody }\ndata: { value: none }'],
      ['yaml', 'platform: { client_id: your-client-id, base_uri: https://a.example.com }'],
      ['toml', '[[inputs.mqtt_consumer]]\ntopics = ["heating2mqtt/+/nothing/value"]'],
    ] as const;
    for (const [language, text] of wrong)
      await expect(paste({ page: 'page.md', line: 1, language, text }, world), text).rejects.toThrow('page.md:1');
  });
});

describe('blocks and commands', () => {
  test('are found in lists too, and a fence that stays open is told', () => {
    expect(blocksIn('p', '1. Do\n\n   ```sh\n   a\n     b\n   ```\n')).toEqual([{ page: 'p', line: 3, language: 'sh', text: 'a\n  b' }]);
    expect(() => blocksIn('p', '```sh\na')).toThrow('p:1');
  });

  test('are read as a shell reads them', () => {
    const read = [[['a', 'b c', 'de', 'f']], [['i'], ['j']], [['k#l']]];
    expect(readShell('a \'b c\' "d"e \\\n  f > g # h\ni | j && k#l')).toEqual(read);
    expect(() => readShell('a < b')).toThrow('< is not');
  });
});
