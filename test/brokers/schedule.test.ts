import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { readScheduleRequest } from '../../src/cli/schedule/scheduleArguments.ts';
import { schedule } from '../../src/cli/schedule/scheduleCommand.ts';
import type { Settings } from '../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../src/mqtt/embeddedBroker.ts';
import { UsageError } from '../../src/shared/errors.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { ENTRIES, ONE } from '../support/schedules/writing.ts';
import { ALL, published } from '../support/system/outcome.ts';
import { SCHEDULE, SCHEDULE_TOPIC, startTestSystem, type TestSystem, tempDir } from '../support/system/testSystem.ts';
import { sameClock } from '../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const SUN = `${SCHEDULE_TOPIC}/sun`;

/** Settings of a broker beside which no bridge runs. */
const brokerOnly = (url: string): Pick<Settings, 'mqtt' | 'data_dir'> => ({
  data_dir: '/none',
  mqtt: { url, base: 'heating2mqtt', version: 'auto', max_payload: 65_536 },
});

const PROFILES = [
  ['summer', 'daily none'],
  ['odd', 'daily 6:05-8 normal'],
] as const;

type Typed = { readonly code: number; readonly out: string; readonly err: string };

/** What `heating2mqtt schedule …` says and gives, beside the bridge of the test system. */
const type = async (
  system: Pick<TestSystem, 'settings'> | { readonly settings: Pick<Settings, 'mqtt' | 'data_dir'> },
  args: readonly string[],
  { stdin = '', isTTY = false, env = {} }: { stdin?: string; isTTY?: boolean; env?: Record<string, string> } = {},
): Promise<Typed> => {
  const request = readArguments(['schedule', ...args]);
  if (request.kind !== 'command') throw new Error('no command');
  let [out, err] = ['', ''];
  const code = await schedule(system.settings, readScheduleRequest(request.words ?? [], request.values), {
    env,
    cwd: '/',
    out: (text) => {
      out += `${text}\n`;
    },
    err: (text) => {
      err += `${text}\n`;
    },
    stdin: Readable.from([stdin]),
    isTTY,
  });
  return { code, out, err };
};

describe('heating2mqtt schedule', () => {
  let shared: TestSystem | undefined;
  const system = (): TestSystem => {
    if (!shared) throw new Error('the test system was not started');
    return shared;
  };
  beforeAll(async () => {
    const features = [SCHEDULE, 'heating.circuits.1.heating.schedule', 'heating.dhw.schedule'];
    shared = await startTestSystem({ device: { features }, overrides: { schedules: { profiles: PROFILES } } });
    await published(shared);
  });
  afterAll(() => shared?.close());

  test('show draws every schedule, or those that are meant', async () => {
    const all = await type(system(), ['show']);
    expect(all).toMatchObject({ code: 0, err: '' });
    const titles = all.out.split('\n').filter((line) => line.startsWith('home '));
    expect(titles).toContain(`home ${SCHEDULE}`);
    expect(titles).toContain('home heating.dhw.schedule');
    expect(all.out).not.toContain('\u001b');
    for (const line of all.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const one = await type(system(), ['show', 'circuits.0']);
    expect(one.out.split('\n').filter((line) => line.startsWith('home '))).toEqual([`home ${SCHEDULE}`]);
    expect((await type(system(), ['show', 'home', 'circuits.0'], { isTTY: true })).out).toContain('\u001b[');
    expect((await type(system(), ['show', 'home', 'circuits.0'], { isTTY: true, env: { NO_COLOR: '1' } })).out).toBe(one.out);
  });

  test('show --text can be given back, and changes nothing', async () => {
    const posts = system().posts().length;
    const { out } = await type(system(), ['show', 'circuits.0', '--text']);
    expect(out).toBe(`${system().recorder.last(ENTRIES.replace('entries', 'text'))}\n`);
    const set = await type(system(), ['set', 'circuits.0'], { stdin: out });
    expect(set).toEqual({
      code: 0,
      out: `home ${SCHEDULE}\nNothing changes.\nunchanged: the device already has this; nothing was sent.\n`,
      err: '',
    });
    expect(system().posts()).toHaveLength(posts);
  });

  test('set shows the difference, writes, and says what became of it', async () => {
    const before = system().posts().length;
    const set = await type(system(), ['set', 'home', 'circuits.0', 'weekend', '8-22', 'comfort']);
    expect(set).toMatchObject({ code: 0, err: 'The platform accepted it; waiting until a read shows it.\n' });
    expect(set.out).toBe(
      `home ${SCHEDULE}\nsat-sun\n  - 07:00-17:00 normal, 17:00-21:00 comfort, 21:00-23:00 normal\n  + 08:00-22:00 comfort\napplied: the device shows it.\n`,
    );
    expect(system().posts()).toHaveLength(before + 1);
    const day = await type(system(), ['set', 'circuits.0', '--day', 'Sonntag', '[]', '--json']);
    expect(JSON.parse(day.out)).toMatchObject({ status: 'applied', changed: ['sun'] });
    await system().recorder.caughtUp();
    expect(system().recorder.last(SUN)).toBe('none');
    const profile = await type(system(), ['set', 'circuits.0', '--profile', 'summer']);
    expect(profile.out).toContain('mon-fri\n');
    await system().recorder.caughtUp();
    expect(system().recorder.last(`${SCHEDULE_TOPIC}/profile`)).toBe('summer');
    expect((await type(system(), ['profiles', 'circuits.0'])).out).toContain(`fits   home ${SCHEDULE} (in force)\n`);
  });

  test('a dry run, and validate, send nothing', async () => {
    const posts = system().posts().length;
    for (const args of [
      ['set', 'circuits.0', 'mon 6-8 normal', '--dry-run'],
      ['validate', 'circuits.0', '{"value":{"mon":[{"start":"06:00","end":"08:00","mode":"normal"}]}}'],
      ['validate', 'circuits.0', '--day', 'mon', '"6-8 normal"'],
    ]) {
      const { code, out } = await type(system(), args);
      expect({ code, out }).toEqual({
        code: 0,
        out: `home ${SCHEDULE}\nmon\n  - none\n  + 06:00-08:00 normal\nvalid: the week is valid; nothing was sent.\n`,
      });
    }
    expect(system().posts()).toHaveLength(posts);
  });

  test.each<[args: readonly string[], stdin: string, line: string]>([
    [['mon 06:00-08:05 normal'], '', '  column 11: 08:05 is not on the 10-minute grid; nearest: 08:00, 08:10'],
    [[], 'mon 6-8 normal\ntue 6-8:05 normal\n', '  line 2, column 7: 08:05 is not on the 10-minute grid; nearest: 08:00, 08:10'],
    [['--day', 'mon', '6-8 normal; tue none'], '', '  column 13: only the entries of mon are expected here, with , between them'],
    [
      ['--day', 'mon', '[{"start":"06:00","end":"08:00","mode":"warm"}]'],
      '',
      '  /0/mode: warm is not a mode of this schedule; modes are normal, comfort',
    ],
    [
      ['{"mon":[{"start":"06:00","end":"08:00","mode":"warm"}]}'],
      '',
      '  /mon/0/mode: warm is not a mode of this schedule; modes are normal, comfort',
    ],
    [['{"mon":[}'], '', '  column 9: '],
    [['--file', '-'], '{"mon":[],"mon":[]}', '  /mon: '],
    [['--profile', 'odd'], '', '  schedules.profiles.odd column 7: 06:05 is not on the 10-minute grid; nearest:'],
  ])('a week that is wrong is refused with its place: %j %j', async (args, stdin, line) => {
    const posts = system().posts().length;
    const refused = await type(system(), ['set', 'circuits.0', ...args], { stdin });
    expect(refused.code).toBe(1);
    expect(refused.out.replace(`home ${SCHEDULE}\n`, '')).toMatch(/^rejected: nothing was sent\.\n/);
    expect(refused.out.split('\n').some((one) => one.startsWith(line))).toBe(true);
    expect(system().posts()).toHaveLength(posts);
  });

  test('a week that is too large is refused here already, also where only its envelope makes it so', async () => {
    const large = await type(system(), ['set', 'circuits.0'], { stdin: `mon none ${'x'.repeat(70_000)}` });
    expect(large).toMatchObject({ code: 1 });
    expect(large.out).toBe('rejected: nothing was sent.\n  70009 bytes are more than the 65536 that mqtt.max_payload allows\n');
    const escaped = await type(system(), ['set', 'circuits.0'], { stdin: `mon 6-8 ${'\u0001'.repeat(15_000)}` });
    expect(escaped).toMatchObject({
      code: 1,
      out: expect.stringMatching(/ bytes are more than the 65536 that mqtt.max_payload allows\n$/),
    });
  });

  test.each<[args: readonly string[], sentence: string]>([
    [['show', 'hme', 'circuits.0'], 'No device with a schedule has the name hme; did you mean:'],
    [['set', 'circuits', 'daily none'], 'circuits matches several schedules; name one of these:'],
    [['set', 'circuits.0', '--profile', 'sumer'], 'There is no profile sumer. Did you mean summer?'],
    [['set', 'circuits.0', '--file', 'nowhere.txt'], '--file nowhere.txt cannot be read: '],
    [['set', 'circuits.0'], 'The week is missing: '],
  ])('what was meant is asked back: %j', async (args, sentence) => {
    const typed = type(system(), args);
    await expect(typed).rejects.toThrow(UsageError);
    await expect(typed).rejects.toThrow(sentence);
  });
});

describe('heating2mqtt schedule without what it needs', () => {
  test('says so where the bridge is away, and shows what it said last', async () => {
    const system = await startTestSystem(ONE);
    onTestFinished(() => system.close());
    await published(system);
    const before = await type(system, ['show', '--text']);
    await system.stopApp();
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'offline');
    expect(await type(system, ['show', '--text'])).toEqual({ ...before, err: 'The bridge is offline; this is its last known state.\n' });
    await expect(type(system, ['set', 'circuits.0', 'daily none'])).rejects.toThrow(
      'The bridge is offline (topic heating2mqtt/bridge/state)',
    );
  });

  test('says so where the bridge goes, or does not answer', async () => {
    const broker = await startEmbeddedBroker(0);
    onTestFinished(() => broker.close());
    const recorder = await listen(broker.url);
    onTestFinished(() => recorder.close());
    const record = {
      properties: { entries: { type: 'Schedule' } },
      commands: { setSchedule: { params: { newSchedule: { type: 'Schedule', constraints: {} } } } },
    };
    await recorder.publish('heating2mqtt/bridge/state', 'online', { retain: true });
    await recorder.publish('heating2mqtt/bridge/info', '{}', { retain: true });
    await recorder.publish(ENTRIES, '{}', { retain: true });
    await recorder.publish(`${SCHEDULE_TOPIC}/record`, JSON.stringify(record), { retain: true });
    const beside = { settings: brokerOnly(broker.url) };
    await expect(type(beside, ['set', 'circuits.0', 'daily none', '--timeout', '0.1'])).rejects.toThrow(
      'The bridge did not answer within 0.1 s. Nothing was sent.',
    );
    await recorder.caughtUp();
    const from = recorder.heard.length;
    const waiting = type(beside, ['set', 'circuits.0', 'daily none']);
    const outcome = expect(waiting).rejects.toThrow('The bridge went offline before it answered. Nothing was sent.');
    await recorder.until(({ topic }) => topic === `${SCHEDULE_TOPIC}/validate`, from);
    await recorder.publish('heating2mqtt/bridge/state', 'offline', { retain: true });
    await outcome;
    await recorder.publish('heating2mqtt/bridge/state', 'online', { retain: true });
    const after = recorder.heard.length;
    const lost = expect(type(beside, ['set', 'circuits.0', 'daily none'])).rejects.toThrow(/^The connection to the broker .* was lost\.$/);
    await recorder.until(({ topic }) => topic === `${SCHEDULE_TOPIC}/validate`, after);
    await broker.close();
    await lost;
  });

  test('at a broker that grants few subscriptions with QoS 1, as NATS, all schedules are shown', async () => {
    let asked = 0;
    // NATS grants 63; this one fewer, as the home of the tests has few schedules.
    const broker = await Aedes.createBroker({
      authorizeSubscribe: (client, subscription, done) => {
        if (subscription.qos > 0 && /-/.test(client?.id ?? '')) asked += 1;
        done(null, asked > 30 ? null : subscription);
      },
    });
    const server = createServer(broker.handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      broker.close();
    });
    const { port } = server.address() as AddressInfo;
    const system = await startTestSystem({ ...ALL, brokerUrl: `mqtt://127.0.0.1:${port}` });
    onTestFinished(() => system.close());
    await published(system);
    const { out } = await type(system, ['show', '--json']);
    expect(JSON.parse(out)).toHaveLength(5);
  });

  test('says so where nothing is retained, and where no broker is', async () => {
    const broker = await startEmbeddedBroker(0);
    const beside = { settings: brokerOnly(broker.url) };
    await expect(type(beside, ['show'])).rejects.toThrow(
      /^The broker has no schedule below heating2mqtt\. Possible reasons: .*this user may not read there/,
    );
    await broker.close();
    await expect(type(beside, ['show'])).rejects.toThrow(/^The broker mqtt:.* could not be reached: nothing listens there.*mqtt\.url\.?$/);
  });
});

describe('heating2mqtt schedule as a process', () => {
  test('takes the week from standard input, and ends with the code of the answer', async () => {
    const system = await startTestSystem(ONE);
    onTestFinished(() => system.close());
    await published(system);
    const cwd = tempDir();
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const run = async (args: readonly string[], stdin: string): Promise<Typed> => {
      const env = {
        ...sameClock(),
        HOME: cwd,
        HEATING2MQTT_MQTT_URL: system.broker.url,
        HEATING2MQTT_PLATFORM_BASE_URL: system.simulator.url,
        HEATING2MQTT_PLATFORM_AUTH_URL: system.simulator.url,
        HEATING2MQTT_PLATFORM_CLIENT_ID: 'heating2mqtt-demo',
      };
      const child = spawn(process.execPath, [MAIN, 'schedule', ...args], { cwd, env });
      const [out, err] = [text(child.stdout), text(child.stderr)];
      child.stdin.end(stdin);
      const [code]: unknown[] = await once(child, 'close');
      return { code: Number(code), out: await out, err: await err };
    };
    expect(await run(['set', 'circuits.0'], 'daily 6-22 comfort')).toMatchObject({ code: 0, out: expect.stringMatching(/applied: .*\n$/) });
    await system.recorder.caughtUp();
    expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe('mon-sun 06:00-22:00 comfort');
    expect(await run(['set', 'circuits.0'], 'daily 6-22 hot')).toMatchObject({ code: 1, err: '' });
  });
});
