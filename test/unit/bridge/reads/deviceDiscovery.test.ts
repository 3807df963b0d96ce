import { describe, expect, onTestFinished, test } from 'vitest';
import { deviceDiscovery } from '../../../../src/bridge/reads/deviceDiscovery.ts';
import { rateLimiter } from '../../../../src/bridge/reads/rateLimiter.ts';
import type { Choice } from '../../../../src/bridge/state/deviceInventory.ts';
import { msOf, storiesIn, tellBy } from '../../../support/story.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const page = (...ids: readonly string[]) => ({
  data: [
    {
      id: 1,
      gateways: [{ serial: '2', devices: ids.map((id) => ({ id, gatewaySerial: '2', modelId: 'm', deviceType: 'heating', roles: [] })) }],
    },
  ],
});

const failure = (code: string) => Object.assign(new Error(code), { code, executed: 'no' as const });

/** A discovery on a clock of its own; each list that it asks for notes its moment in minutes. */
const setUp = (answer: () => unknown, kept: ReadonlyMap<string, unknown> = new Map(), choices: readonly Choice[] = []) => {
  const clock = fakeClock();
  const world = { answer, kept: new Map(kept) };
  const asked: number[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const quota = rateLimiter(ALLOWANCE, clock);
  const discovery = deviceDiscovery({
    equipment: {
      readInstallations: async () => {
        asked.push(Math.round(clock.elapsedMs() / MINUTE_MS));
        quota.count();
        return [world.answer()];
      },
    },
    store: keyedStore(world.kept),
    choices,
    goneAfterH: 24,
    published: [],
    quota,
    clock,
    log: recordingLog(logged),
  });
  const stop = new AbortController();
  const found: string[][] = [];
  const failures: string[] = [];
  const run = discovery.run(stop.signal, {
    devicesFound: (devices) => void found.push(devices.map(({ device }) => device)),
    callFailed: ({ code }) => void failures.push(code),
  });
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  return { clock, world, asked, logged, quota, discovery, found, failures };
};

const refuse = (code: string) => () => {
  throw failure(code);
};

/** `0 1`: the list of these devices; `empty`; or the code of a failure. */
const answerOf = (words: readonly string[]): (() => unknown) => {
  const [word = ''] = words;
  if (word === 'empty') return () => ({ data: [] });
  return /^\d/.test(word) ? () => page(...words) : refuse(word);
};

/** A story of the list, of which the first step is what is answered at first. */
const tellStory = async (first = '', ...parts: readonly string[]): Promise<void> => {
  const { clock, world, asked, logged, quota, discovery, found } = setUp(answerOf(first.split(' ')));
  await tellBy(
    {
      answer: (words) => Object.assign(world, { answer: answerOf(words) }),
      pass: ([span = '']) => clock.pass(msOf(span)),
      retry: () => discovery.retry(),
      // For so long a new device is pointed to each minute.
      hints: async ([span = '']) => {
        for (let left = msOf(span); left > 0; left -= MINUTE_MS) {
          discovery.lookSoon();
          await clock.pass(MINUTE_MS);
        }
      },
      paused: ([span = '']) => {
        const limit = Object.assign(failure('rate_limited'), { limitReset: clock.now() + msOf(span) });
        quota.refused(limit, 0);
      },
      // When it was asked for, in minutes; what was found the last times.
      asked: (minutes) => expect(asked).toEqual(minutes.map(Number)),
      found: (lists) => expect(found.slice(-lists.length).map((devices) => devices.join(','))).toEqual(lists),
      said: (_, text) =>
        expect(
          logged
            .splice(0)
            .map(({ level, sentence }) => `${level}: ${sentence.split(';')[0]}`)
            .join(' | '),
        ).toBe(text),
    },
    parts,
  );
};

test.each(
  storiesIn(`
    is asked for at once where nothing is known, then once a day
      0 1
      pass 49h; asked 0 1440 2880; found 0,1 0,1 0,1
    that is empty is told, and asked for again within hours
      empty
      pass 20h; asked 0 60 420; said warn: the list of devices is empty; answer 0; pass 12h
      found 0; said info: the list of devices can be read again | info: devices were found
    that failed for want of a login is asked for at once after one; any other failure waits
      login_needed
      pass 2.5m; asked 0 1 2; answer server_error; retry; asked 0 1 2 3; retry; asked 0 1 2 3
    that is empty or refused after other failures is asked for again after an hour
      login_needed
      pass 2.5m; answer empty; pass 1m; answer timeout; pass 60m; asked 0 1 2 3 63; answer forbidden; pass 2h; asked 0 1 2 3 63 78 138
    is asked for sooner where something points to a new device, once an hour at most
      0
      pass 10m; hints 3h; asked 0 60 120 180
    is not asked for sooner while it fails
      gone
      hints 1h; asked 0 60
    waits for the allowance and for the end of a pause
      server_error
      pass 0s; answer 0; paused 2h; pass 119m; asked 0; pass 2m; asked 0 120
  `),
)('the list of devices %s', (_, ...story) => tellStory(...story));

describe('the list of devices', () => {
  test('that is known from disk is asked for when it is a day old, whatever the clock was set to', async () => {
    const now = Date.parse('2026-11-21T06:00:00Z');
    const listedAt = (listed_at_ms: number) =>
      new Map<string, unknown>([
        ['listing', { listed_at_ms }],
        ['2/0', { installation: '1', gateway: '2', device: '0', roles: [] }],
      ]);
    const young = setUp(() => page('0'), listedAt(now - 20 * HOUR_MS));
    expect(young.discovery.devices()?.map(({ device }) => device)).toEqual(['0']);
    const ahead = setUp(() => page('0'), listedAt(now + 20 * HOUR_MS));
    await young.clock.pass(5 * HOUR_MS);
    await ahead.clock.pass(5 * HOUR_MS);
    expect([young.asked, ahead.asked]).toEqual([[240], [0]]);
  });

  test.each([
    ['server_error', [0, 1, 3, 7, 15, 30, 45, 60]],
    ['bad_answer', [0, 1, 3, 7, 15, 30, 45, 60]],
    ['gone', [0, 60]],
    ['not_paid', [0, 60]],
    // Neither costs a call, and a login that somebody has left beside the bridge is taken up soon.
    ['login_needed', Array.from({ length: 61 }, (_, minute) => minute)],
    ['identity_unavailable', Array.from({ length: 61 }, (_, minute) => minute)],
  ])('that fails (%s) is asked for again after growing pauses, and told once', async (code, minutes) => {
    const { clock, asked, failures, logged, world } = setUp(refuse(code));
    await clock.pass(HOUR_MS);
    expect(asked).toEqual(minutes);
    expect(failures).toEqual(minutes.map(() => code));
    // That a login is needed is told elsewhere.
    expect(logged.map(({ level }) => level)).toEqual([code === 'login_needed' ? 'debug' : 'warn']);
    world.answer = () => page('0');
    await clock.pass(6 * HOUR_MS);
    expect(logged.map(({ sentence }) => sentence).slice(1)).toEqual(['the list of devices can be read again', 'devices were found']);
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'x'],
    ['rubbish', { data: 7 }],
    ['rotten gateways', { data: [{ id: 1, gateways: 5 }, null, 3] }],
  ])('that is %s takes no device away and ends nothing', async (_, body) => {
    const { clock, world, discovery, asked, logged } = setUp(() => page('0'));
    await clock.pass(HOUR_MS);
    world.answer = () => body;
    await clock.pass(80 * HOUR_MS);
    expect(discovery.devices()?.map(({ device }) => device)).toEqual(['0']);
    expect(asked.length).toBeGreaterThan(2);
    expect(logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('tells once which entries of the settings choose nothing of it', async () => {
    const choice = (device: string): Choice => ({ device, features: ['*'], exclude: [] });
    const { clock, logged, world } = setUp(() => page('0'), undefined, [choice('0'), choice('7'), choice('*')]);
    const unfit = () => logged.flatMap(({ facts }) => ('entries' in facts ? [facts.entries] : []));
    await clock.pass(49 * HOUR_MS);
    expect(unfit()).toEqual([[{ device: '7' }, { device: '*' }]]);
    world.answer = () => page('0', '7', '8');
    await clock.pass(25 * HOUR_MS);
    world.answer = () => page('0', '8');
    await clock.pass(24 * HOUR_MS);
    expect(unfit()).toHaveLength(1);
  });
});
