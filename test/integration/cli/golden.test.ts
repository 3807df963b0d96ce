import { Readable } from 'node:stream';
import { connectAsync } from 'mqtt';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explain, runCli } from '../../../src/cli/cli.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { expectGolden } from '../../support/golden.ts';
import { tempDir } from '../../support/system/testSystem.ts';

type Surroundings = { readonly env?: Io['env']; readonly stdin?: string; readonly isTTY?: boolean };

/** The words as typed, everything printed, and the exit code. Lines of standard error begin with `! `. */
const transcript = async (words: readonly string[], { env = {}, stdin = '', isTTY = false }: Surroundings = {}): Promise<string> => {
  const lines: string[] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const io: Io = {
    env,
    cwd: tempDir(),
    out: (text) => {
      lines.push(...text.split('\n'));
      // The commands that run until a signal say so in their first text.
      if (/Ctrl-C stops/.test(text)) stop();
    },
    err: (text) => void lines.push(...text.split('\n').map((line) => `! ${line}`)),
    stdin: Readable.from([stdin]),
    isTTY,
    untilSignal: () => stopped,
    onHangUp: () => undefined,
    openBrowser: () => undefined,
  };
  const code = await runCli(words, io).catch((error: unknown) => explain(error, false, io));
  const typed = words.map((word) => (/[\s;"{]/.test(word) ? `'${word}'` : word)).join(' ');
  return [`$ heating2mqtt ${typed}`.trimEnd(), ...lines, `= ${code}`, ''].join('\n');
};

const transcripts = async (typed: readonly (readonly string[])[], surroundings: Surroundings = {}): Promise<string> => {
  const all: string[] = [];
  for (const words of typed) all.push(await transcript(words, surroundings));
  return all.join('\n');
};

const split = (lines: string): readonly (readonly string[])[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '));

test('every help text', async () => {
  const asked = [['--help'], ...Object.keys(COMMANDS).map((name) => [name, '--help'])];
  const texts = (await transcripts(asked)).replace(VERSION, '1.2.3');
  expectGolden('cli/help.txt', texts);
  for (const line of texts.split('\n')) expect(line.length).toBeLessThanOrEqual(88);
});

test('wrong uses, each with its sentence and exit code', async () => {
  const typed = split(`
    rnu
    xyzzy
    toString
    help rnu
    --hlp
    --config=a run
    run --confg a
    run -x
    run --config
    run home
    run --config nowhere.yaml
    check --config nowhere.yaml
    login --paste=yes
    login --config --paste
    forget --config nowhere.yaml
    settings --json
    demo --broker
    simulate --port 1e3
    simulate --port 70000
    simulate --lag -1
    simulate --lag x
    simulate --more-gateways 21
    simulate --recorded nowhere
    schedule
    schedule shwo
    schedule draw
    schedule show --day mon
    schedule show a b c
    schedule show --json --text
    schedule profiles a b c
    schedule profiles --text
    schedule set --text
    schedule set --profile x --file y
    schedule set --profile x --day mon
    schedule set --day weekend
    schedule set --day xyz
    schedule set --timeout 0
    schedule set --timeout 1e9
    schedule set --timeout soon
    schedule validate --timeout
    export statistics home
    fleet list foo
    fleet move a b c`);
  const ended = await transcripts(typed);
  expectGolden('cli/wrong-uses.txt', ended.replaceAll(/\/\S*\/nowhere/g, '/…/nowhere'));
});

test('npm start --broker=URL has the broker, which npm does not give on as a word', async () => {
  expect(await transcript(['demo'], { env: { npm_config_broker: 'localhost' } })).toContain('write it as mqtt://localhost:1883');
});

test('simulate and demo say what there is to try', async () => {
  const simulate = await transcript(['simulate', '--lag', '1', '--more-gateways', '1']);
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const demo = await transcripts([
    ['demo', '--broker', broker.url],
    ['demo', '--broker', 'mqtt://user:secret@127.0.0.1:9'],
    ['demo', '--broker', 'localhost'],
  ]);
  const without = (text: string): string =>
    text.replaceAll(/(?<=127\.0\.0\.1(?::| -p ))\d+/g, 'PORT').replaceAll(/(?<=Bearer )[\w-]+/g, 'TOKEN');
  expectGolden('cli/simulate-demo.txt', without(`${simulate}\n${demo}`));
});

const CIRCUIT = 'heating2mqtt/home/heating/circuits/0/heating/schedule';
const WATER = 'heating2mqtt/home/heating/dhw/schedule';
const ROOM = 'heating2mqtt/rooms/rooms/0/schedule';

const entry = (times: string, mode: string, position = 0): object => {
  const [start, end] = times.split('-');
  return { start, end, mode, position };
};

const week = (weekdays: readonly object[], weekend: readonly object[]): object => ({
  ...Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, weekdays])),
  sat: weekend,
  sun: weekend,
});

const record = (constraints: object | undefined): object => ({
  rev: 'a1b2',
  properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule' } },
  commands:
    constraints === undefined
      ? {}
      : { setSchedule: { isExecutable: true, params: { newSchedule: { type: 'Schedule', required: true, constraints } } } },
});

/** What a bridge would have retained; no zone is known, so that no chart shows the moment of the test. */
const RETAINED: Readonly<Record<string, unknown>> = {
  'heating2mqtt/bridge/state': 'online',
  'heating2mqtt/bridge/info': {
    devices: [{ name: 'home' }, { name: 'rooms' }],
    settings: { schedules: { profiles: { summer: 'daily none', odd: 'daily 6:05-8 normal', json: { mon: [] } } } },
  },
  [`${CIRCUIT}/record`]: record({
    modes: ['normal', 'comfort'],
    defaultMode: 'reduced',
    maxEntries: 4,
    resolution: 10,
    overlapAllowed: true,
  }),
  [`${CIRCUIT}/entries`]: week(
    [entry('06:00-08:40', 'normal'), entry('17:00-22:00', 'comfort', 1)],
    [entry('07:00-23:00', 'normal'), entry('17:00-21:00', 'comfort', 1)],
  ),
  [`${CIRCUIT}/active`]: 'true',
  [`${CIRCUIT}/now`]: 'reduced',
  [`${CIRCUIT}/next`]: 'normal',
  [`${CIRCUIT}/next_at`]: '2026-11-23T06:00:00+01:00',
  [`${CIRCUIT}/profile`]: 'custom',
  // What the hints look at.
  'heating2mqtt/home/heating/compressors/enabled': ['0'],
  'heating2mqtt/home/heating/circuits/0/operating/modes/active/value': 'standby',
  'heating2mqtt/home/heating/circuits/0/operating/programs/reduced/temperature': 16,
  'heating2mqtt/home/heating/circuits/0/operating/programs/comfort/temperature': 21,
  [`${WATER}/record`]: record({ modes: ['on'], maxEntries: 4, resolution: 10, overlapAllowed: false }),
  [`${WATER}/entries`]: week([], []),
  [`${WATER}/active`]: 'false',
  [`${WATER}/profile`]: 'summer',
  [`${WATER}/until`]: '2026-11-29T12:00:00+01:00',
  [`${ROOM}/record`]: record(undefined),
  [`${ROOM}/entries`]: week([entry('00:00-24:00', '5/25-cycles')], [entry('05:30-24:00', 'levelTwo')]),
};

const AFTER = week([], [entry('08:00-22:00', 'normal')]);
const ISSUE = { path: '/value/mon/0/end', rule: 'resolution', message: 'off the grid', nearest: ['08:00', '08:10'] };

/** What the bridge would answer, by what was sent as the week. */
const RESULTS: Readonly<Record<string, readonly object[]>> = {
  'sat none': [{ status: 'unchanged' }],
  'sun 1-2 normal': [
    { status: 'accepted' },
    { status: 'applied', until: '2026-11-29T12:00:00+01:00', adapted: week([], [entry('08:00-21:50', 'normal')]) },
  ],
  'mon 1-2 normal': [{ status: 'rejected', code: 'invalid', message: 'one thing is wrong', errors: [ISSUE] }],
  'tue 1-2 normal': [
    { status: 'failed', code: 'refused', message: 'The device refused it', errorType: 'DEVICE_ERROR', viErrorId: 'req-1' },
  ],
  'wed 1-2 normal': [{ status: 'superseded', kept: ['tue', 'mon'] }],
  'thu 1-2 normal': [{ status: 'unconfirmed' }],
};

describe('schedule', () => {
  const prepare = async (): Promise<Surroundings> => {
    const broker = await startEmbeddedBroker(0);
    const bridge = await connectAsync(broker.url);
    onTestFinished(async () => {
      await bridge.endAsync(true);
      await broker.close();
    });
    for (const [topic, payload] of Object.entries(RETAINED)) {
      await bridge.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { retain: true, qos: 1 });
    }
    bridge.on('message', (topic, bytes) => {
      const { id, value } = JSON.parse(bytes.toString());
      const results = topic.endsWith('/validate') ? [{ status: 'valid', week: AFTER }] : (RESULTS[value] ?? [{ status: 'applied' }]);
      for (const result of results) bridge.publish('heating2mqtt/home/result', JSON.stringify({ id, ...result }), { qos: 1 });
    });
    await bridge.subscribeAsync([`${CIRCUIT}/validate`, `${CIRCUIT}/set`, `${CIRCUIT}/undo/set`], { qos: 1 });
    return {
      env: {
        HEATING2MQTT_MQTT_URL: broker.url,
        HEATING2MQTT_PLATFORM_BASE_URL: 'http://platform.test',
        HEATING2MQTT_PLATFORM_AUTH_URL: 'http://platform.test',
        HEATING2MQTT_PLATFORM_CLIENT_ID: 'client',
      },
    };
  };

  test('what is shown', async () => {
    const surroundings = await prepare();
    const plain = await transcripts(
      split(`
        schedule show
        schedule show --text
        schedule show circuits.0 --text
        schedule show --json
        schedule show hme circuits.0
        schedule show home circuits.7
        schedule profiles
        schedule profiles circuits.0 --json`),
      surroundings,
    );
    const coloured = await transcript(['schedule', 'show'], { ...surroundings, isTTY: true });
    expectGolden('cli/schedule-show.txt', `${plain}\n${coloured}`.replaceAll('\u001b', '␛'));
  });

  test('what is written', async () => {
    const surroundings = await prepare();
    const set = (...words: readonly string[]): readonly string[] => ['schedule', 'set', ...words];
    const written = await transcripts(
      [
        set('circuits.0', 'fri 8-9 normal'),
        ...Object.keys(RESULTS).map((value) => set('circuits.0', value)),
        set('circuits.0', 'sun 1-2 normal', '--json'),
        set('circuits.0', 'sun 1-2 normal', '--dry-run'),
        ['schedule', 'validate', 'circuits.0', '{"value":{"mon":[]},"for":"1h"}'],
        set('circuits.0', '--profile', 'summer'),
        set('circuits.0', '--profile', 'odd'),
        set('circuits.0', '--profile', 'odd', '--json'),
        set('circuits.0', '--profile', 'sumer'),
        set('circuits.0', '--day', 'mon', '6-8 normal; tue none'),
        set('circuits.0'),
        set('circuits.0', '--file', 'nowhere.txt'),
        set('daily none'),
        ['schedule', 'undo', 'circuits.0'],
        ['schedule', 'set', '--help'],
      ],
      surroundings,
    );
    expectGolden('cli/schedule-set.txt', written.replaceAll(/\/\S*\/nowhere/g, '/…/nowhere').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'ID'));
  });
});
