import { describe, expect, test } from 'vitest';
import { reportBridge } from '../../../src/cli/check/checkBridge.ts';
import { serverSentenceDe } from '../../../src/language/setup/serverDe.ts';
import { startVirtualSystem, type VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const PLAN = 'heating2mqtt/bridge/plan';
const PROBLEMS = 'heating2mqtt/bridge/problems';
const SCHEDULE = 'heating.circuits.0.heating.schedule';
const TOPIC = `heating2mqtt/home/${SCHEDULE.replaceAll('.', '/')}`;
const FEATURES = { method: 'GET', path: '/features' };
const HOUR_MS = 3_600_000;
const QUOTA = { platform: { quota: { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 100 } } };

const at = (system: VirtualTestSystem, topic: string): Record<string, unknown> => JSON.parse(system.onBroker.get(topic) ?? 'null');

const start = (prepare?: (system: VirtualTestSystem['simulator']) => void): Promise<VirtualTestSystem> =>
  startVirtualSystem({
    device: { features: [SCHEDULE, 'heating.dhw.schedule'] },
    overrides: { ...QUOTA, poll: { seconds: 600 } },
    prepare: (simulator) => prepare?.(simulator),
  });

describe('what the platform refuses to the account', () => {
  test('everything: it is said within a minute that nothing is wrong, over a restart, until a read works', async () => {
    const system = await start((simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: FEATURES }));
    await system.time.pass(60_000);
    const problem = {
      message: expect.stringMatching(/refuses all data .*\(402\).*Nothing is wrong with your heating/),
      since: expect.any(String),
    };
    expect(at(system, PROBLEMS)).toEqual({ plan: problem });
    const read = (feature: string) => ({
      gateway: expect.any(String),
      device: 'home',
      feature,
      since: expect.any(String),
      last: expect.any(String),
    });
    const refused = [read(SCHEDULE), read('heating.dhw.schedule')];
    expect(at(system, PLAN)).toEqual({ refused, calls_per_day: 1450 });
    expect(system.app.status()).toMatchObject({ refused });
    const lines: string[] = [];
    reportBridge(system.app.status(), 'check', (mark, what, sentence, more) =>
      Boolean(lines.push(`${mark} ${what}: ${sentence} ${more && serverSentenceDe([more.code], more.facts ?? {})}`)),
    );
    expect(lines.find((line) => line.startsWith('note account: '))).toMatch(
      /\(402\): heating.*schedule \(home\); heating.dhw.schedule \(home\)\. .*verweigert.*\(402\): heating.*schedule \(home\)/,
    );
    const reads = system.reads();
    await system.restart();
    await system.time.pass(60_000);
    // The next run knows it before it asks.
    expect(at(system, PLAN)).toMatchObject({ refused });
    expect(system.reads() - reads).toBeLessThanOrEqual(2);
    system.simulator.control({ command: 'clear' });
    await system.time.pass(2 * HOUR_MS);
    expect(at(system, PROBLEMS)).toEqual({});
    expect(at(system, PLAN)).toEqual({ refused: [], calls_per_day: 1450 });
    await system.close();
  });

  test.each(['not_paid', 'updating'])(
    'everything, with 403 on one read and 402 on the other (%s): a problem says so within a minute',
    async (kind) => {
      const system = await start((simulator) => {
        simulator.control({ command: 'fault', status: 403, body: { errorType: 'UNAUTHORIZED', statusCode: 403 }, match: { path: 'dhw' } });
        simulator.control({ command: 'fault', kind, match: FEATURES });
      });
      await system.time.pass(60_000);
      const login = {
        message: expect.stringMatching(/refuses the login .*the rights or the plan of the account/),
        since: expect.any(String),
      };
      expect(at(system, PROBLEMS)).toEqual(kind === 'not_paid' ? { login } : {});
      system.simulator.control({ command: 'clear' });
      await system.time.pass(2 * HOUR_MS);
      expect(at(system, PROBLEMS)).toEqual({});
      await system.close();
    },
  );

  test.each([
    ['the list of devices', '/equipment/'],
    ['all that they tell', '/features'],
    ['every call', '/iot/'],
  ])('%s of devices that are found: it is said within a minute, to the page and to Home Assistant', async (_, path) => {
    const system = await startVirtualSystem({
      overrides: { choices: [], platform: { profile: 'v2', read: 'auto' } },
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { method: 'GET', path } }),
    });
    await system.time.pass(30_000);
    expect(at(system, PROBLEMS)).toEqual({ plan: { message: expect.stringMatching(/refuses all data/), since: expect.any(String) } });
    const documents = [...system.onBroker].filter(([topic]) => topic.startsWith('homeassistant/')).map(([, payload]) => payload);
    expect(documents.join()).toContain('heating2mqtt/bridge/problems');
    await system.close();
  });

  test('a device: after a day its own problem says so too, in place of where to look for the reason', async () => {
    const system = await startVirtualSystem({
      device: { features: ['*'] },
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { method: 'GET', path: '/devices/' } }),
    });
    await system.time.pass(25 * HOUR_MS);
    expect(at(system, 'heating2mqtt/home/problems')).toEqual({
      connection: { message: expect.stringMatching(/refuses all data of this device .*Nothing is wrong/), since: expect.any(String) },
    });
    await system.close();
  });

  test('one feature: the others are read, and nothing of the bridge is a problem', async () => {
    const match = { method: 'GET', path: `/features/heating.dhw.schedule` };
    const system = await start((simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match }));
    await system.time.pass(60_000);
    expect(at(system, PLAN)['refused']).toEqual([expect.objectContaining({ feature: 'heating.dhw.schedule' })]);
    expect(at(system, PROBLEMS)).toEqual({});
    expect(system.onBroker.has(`${TOPIC}/text`)).toBe(true);
    expect(system.onBroker.get('heating2mqtt/home/availability')).toBe('online');
    await system.close();
  });

  test('the events: they are told with their installation, until they can be read', async () => {
    const system = await startVirtualSystem({
      device: { features: [SCHEDULE] },
      overrides: { platform: { profile: 'v2' }, events: { minutes: 60 } },
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { method: 'GET', path: '/events' } }),
    });
    await system.time.pass(60_000);
    const installation = system.settings.devices[0]?.installation;
    const events = { installation, since: expect.any(String), last: expect.any(String) };
    expect(at(system, PLAN)['refused']).toEqual([events]);
    expect(at(system, PROBLEMS)).toEqual({});
    system.simulator.control({ command: 'clear' });
    await system.time.pass(25 * HOUR_MS);
    expect(at(system, PLAN)['refused']).toEqual([]);
    await system.close();
  });

  test('a command: it is told until the same command works, and reads go on', async () => {
    const system = await start(
      (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { method: 'POST' }, times: 1 }),
    );
    await system.time.pass(60_000);
    const write = async (text: string, status: string): Promise<void> => {
      const from = system.recorder.heard.length;
      await system.recorder.publish(`${TOPIC}/set`, text);
      await system.recorder.until(({ topic, payload }) => topic.endsWith('/result') && payload.includes(`"status":"${status}"`), from);
      await system.time.pass(60_000);
    };
    await write('mon 06:00-21:00 normal', 'failed');
    expect(at(system, PLAN)['refused']).toEqual([expect.objectContaining({ device: 'home', feature: SCHEDULE, command: 'setSchedule' })]);
    expect(at(system, PROBLEMS)).toEqual({});
    await write('mon 07:00-21:00 normal', 'applied');
    expect(at(system, PLAN)['refused']).toEqual([]);
    await system.close();
  });

  test.each([
    ['the limit of a day', 'ViCare day limit', 3000, 3000],
    ['a limit below the reserve', 'ViCare day limit', 3, 1450],
    ['the limit of ten minutes', 'ViCare 10 minutes limit', 120, 1450],
    ['a limit that makes no sense', 'ViCare day limit', 1e9, 1450],
    ['a limit that is no number', 'ViCare day limit', 'many', 1450],
  ])('%s is learned where it makes sense, over a restart', async (_, name, requestCountLimit, expected) => {
    const system = await start();
    await system.time.pass(60_000);
    const limitReset = system.time.now() + HOUR_MS;
    const body = { errorType: 'RATE_LIMIT_EXCEEDED', statusCode: 429, extendedPayload: { name, limitReset, requestCountLimit } };
    system.simulator.control({ command: 'fault', status: 429, body, times: 1, match: FEATURES });
    await system.time.pass(2 * HOUR_MS);
    expect(at(system, PLAN)['calls_per_day']).toBe(expected);
    await system.restart();
    await system.time.pass(60_000);
    expect(at(system, PLAN)['calls_per_day']).toBe(expected);
    await system.restart({ platform: { quota: { per_10_minutes: 120, per_day: 2000, reserve_for_commands: 100 } } });
    await system.time.pass(60_000);
    expect(at(system, PLAN)['calls_per_day']).toBe(2000);
    await system.close();
  });
});
