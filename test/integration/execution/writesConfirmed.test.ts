import { describe, expect, test } from 'vitest';
import { day, type ShownWeek, weekText } from '../../support/schedules/weeks.ts';
import {
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  ONE,
  type Outcome,
  resultIn,
  SET,
  started,
  terminalFor,
  write,
} from '../../support/schedules/writing.ts';
import { type BridgeSystem, SCHEDULE } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const start = (options: VirtualTestOptions = {}) => started({ ...ONE, ...options });

/** So far apart that also a loaded machine makes a read for each. */
const APART = { confirm_s: [0.5, 1, 1.5, 2] };

const MON = day('04:00-05:00 comfort');
const WISH = JSON.stringify({ mon: MON });

/** The week before the write, and the one after. */
const weeks = (system: BridgeSystem): { readonly old: string; readonly wished: string } => {
  const old = system.recorder.last(ENTRIES) ?? '';
  const week: ShownWeek = JSON.parse(old);
  return { old, wished: weekText({ ...week, mon: MON }) };
};

/** All that was shown on `S/entries`, in order. */
const entriesIn = ({ others }: Pick<Outcome, 'others'>): string[] =>
  others.filter(({ topic }) => topic === ENTRIES).map(({ payload }) => payload);

describe('a week that the platform shows later', () => {
  test('is shown at once and never again as it was, until it is applied', async () => {
    const system = await start();
    const { wished } = weeks(system);
    system.simulator.control({ command: 'lag', ms: 400 });
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['accepted', 'applied']);
    expect(outcome.posts).toHaveLength(1);
    expect(outcome.reads).toBeGreaterThan(1);
    expect(entriesIn(outcome)).toEqual([wished]);
  });

  test('does not flicker when polls show the old one meanwhile', async () => {
    const system = await start({ overrides: { commands: { confirm_s: [0.3, 0.6] } } });
    const { recorder, simulator } = system;
    const { wished } = weeks(system);
    simulator.control({ command: 'lag', ms: 200 });
    const from = recorder.heard.length;
    await recorder.publish(SET, WISH);
    await recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && payload.includes('"accepted"'), from);
    const before = system.reads();
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await terminalFor(recorder, SET, from);
    await barrier(system);
    expect(system.reads() - before).toBe(2);
    expect(entriesIn({ others: recorder.heard.slice(from) })).toEqual([wished]);
  });

  test('does not flicker when a read from before the write ends after it', async () => {
    const system = await start();
    const { recorder, simulator } = system;
    const { wished } = weeks(system);
    const from = recorder.heard.length;
    simulator.control({ command: 'fault', match: { method: 'GET' }, delayMs: 150, times: 1 });
    const before = system.reads();
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.untilSo(() => system.reads() > before);
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['accepted', 'applied']);
    expect(entriesIn({ others: recorder.heard.slice(from) })).toEqual([wished]);
  });

  test('is unconfirmed after the last read, and the platform decides what is shown', async () => {
    const system = await start({ overrides: { commands: APART } });
    const { old, wished } = weeks(system);
    system.simulator.control({ command: 'lag', ms: 600_000 });
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['accepted', 'unconfirmed']);
    expect(outcome.terminal).toMatchObject({ code: 'not_shown', changed: ['mon'], feature: SCHEDULE, command: 'setSchedule' });
    expect([outcome.posts.length, outcome.reads]).toEqual([1, 4]);
    expect(entriesIn(outcome)).toEqual([wished, old]);
  });

  test('is compared by the days that were written only', async () => {
    const system = await start({ overrides: { commands: { confirm_s: [0.2, 5] } } });
    const { recorder, simulator } = system;
    const { wished } = weeks(system);
    const from = recorder.heard.length;
    await recorder.publish(SET, WISH);
    await recorder.untilTopic(ENTRIES, wished, from);
    const truth = weekText({ ...JSON.parse(wished), sun: [] });
    simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: JSON.parse(truth) });
    expect((await terminalFor(recorder, SET, from)).status).toBe('applied');
    await barrier(system);
    expect(entriesIn({ others: recorder.heard.slice(from) })).toEqual([wished, truth]);
  });

  test('is applied with what the platform made of it, where it says so', async () => {
    const system = await start();
    const { wished, old } = weeks(system);
    system.simulator.control({ command: 'adapt' });
    const outcome = await write(system, SET, WISH);
    const shown = weekText({ ...JSON.parse(old), mon: day('04:00-04:50 comfort') });
    expect(outcome.statuses).toEqual(['accepted', 'applied']);
    expect(outcome.terminal).toMatchObject({ reason: 'WARNING_PARAMETERS_CHANGED', adapted: JSON.parse(shown) });
    expect(entriesIn(outcome)).toEqual([wished, shown]);
  });

  test('stays as it was wished where no call is left to look', async () => {
    const system = await start({ overrides: { platform: { quota: { per_10_minutes: 120, per_day: 52, reserve_for_commands: 50 } } } });
    const { wished } = weeks(system);
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['accepted', 'unconfirmed']);
    expect(outcome.terminal).toMatchObject({ code: 'no_quota' });
    expect([outcome.posts.length, outcome.reads]).toEqual([1, 0]);
    expect(new Set(entriesIn(outcome))).toEqual(new Set([wished]));
  });
});

const POST = { method: 'POST', path: '/commands/' };

/** Answers that leave it open whether the command was carried out; what else does: test/unit/platform/classify.test.ts. */
const LOST: readonly string[] = ['cut_after_effect', 'cut_headers', 'timeout504', 'html502', 'html200', 'internal_error', 'rubbish'];

describe('an answer that got lost', () => {
  test.each(LOST)('%s, although the command was carried out: read, and applied', async (kind) => {
    const system = await start();
    const { wished } = weeks(system);
    system.simulator.control({ command: 'fault', kind, match: POST, times: 1, execute: true });
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['applied']);
    expect([outcome.posts.length, outcome.reads]).toEqual([1, 1]);
    expect(entriesIn(outcome)).toEqual([wished]);
  });

  test.each([...LOST.filter((kind) => !/^cut/.test(kind)), 'cut_before'])(
    '%s, and the command was not carried out: read to the last, and failed',
    async (kind) => {
      const system = await start();
      const { old } = weeks(system);
      system.simulator.control({ command: 'fault', kind, match: POST, times: 1 });
      const outcome = await write(system, SET, WISH);
      expect(outcome.statuses).toEqual(['failed']);
      expect(outcome.terminal).toMatchObject({ code: 'unknown_outcome', feature: SCHEDULE, command: 'setSchedule' });
      expect(outcome.posts).toHaveLength(1);
      // On a loaded machine one read can be due for two moments.
      expect(outcome.reads).toBeGreaterThan(1);
      expect(outcome.reads).toBeLessThanOrEqual(4);
      expect(entriesIn(outcome)).toEqual([old]);
    },
  );

  test('hang: given up in time, then read', async () => {
    const system = await start({ overrides: { platform: { timeout_s: 1 }, commands: APART } });
    system.simulator.control({ command: 'fault', kind: 'hang', match: POST, times: 1 });
    const outcome = await write(system, SET, WISH);
    expect(outcome.terminal).toMatchObject({ status: 'failed', code: 'unknown_outcome' });
    expect(outcome.terminal.message).toContain('within 1 s');
    expect([outcome.posts.length, outcome.reads]).toEqual([1, 4]);
  });

  test('to a command whose effect nobody can tell is followed by one read, and failed', async () => {
    const system = await start();
    system.simulator.control({ command: 'fault', kind: 'cut_after_effect', match: POST, times: 1 });
    const { terminal, statuses, posts, reads } = await write(system, SET.replace(/set$/, 'call/resetSchedule'), 'x');
    expect({ statuses, posts: posts.length, reads }).toEqual({ statuses: ['failed'], posts: 1, reads: 1 });
    expect(terminal).toMatchObject({
      code: 'unknown_outcome',
      command: 'resetSchedule',
      message: expect.stringContaining('cannot show it'),
    });
  });

  test('is not written over by the next write to the same schedule', async () => {
    const system = await start();
    const { wished } = weeks(system);
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', kind: 'cut_after_effect', match: POST, times: 1 });
    const from = recorder.heard.length;
    await recorder.publish(SET, WISH);
    await system.untilSo(() => system.posts().length > 0);
    await recorder.publish(SET, '{"value":{"tue":[]},"id":2}');
    const isSecond = (payload: string): boolean => payload.includes('"id":2') && payload.includes('"applied"');
    await recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && isSecond(payload), from);
    await barrier(system);
    expect(recorder.last(ENTRIES)).toBe(weekText({ ...JSON.parse(wished), tue: [] }));
    expect(system.posts()).toHaveLength(2);
    const statuses = recorder.heard
      .slice(from)
      .filter(({ topic }) => topic === DEVICE_RESULT)
      .map((heard) => resultIn(heard).status);
    expect(statuses.sort()).toEqual(['accepted', 'applied', 'applied']);
  });
});

type Refused = Readonly<Record<string, unknown>>;

describe('the platform says no', () => {
  test.each<[kind: string, said: Refused]>([
    ['success_false', { code: 'device_error', reason: 'COMMAND_FAILED' }],
    [
      'gateway_offline',
      { code: 'gateway_offline', errorType: 'DEVICE_COMMUNICATION_ERROR', reason: 'GATEWAY_OFFLINE', viErrorId: expect.any(String) },
    ],
    ['device_offline', { code: 'device_offline', errorType: 'DEVICE_COMMUNICATION_ERROR', reason: 'DEVICE_OFFLINE' }],
    ['not_found', { code: 'not_found', errorType: 'FEATURE_NOT_FOUND', viErrorId: expect.any(String) }],
    ['validation', { code: 'validation', errorType: 'VALIDATION_ERROR', reason: 'INVALID_PARAMETERS' }],
    ['not_paid', { code: 'not_paid', errorType: 'PACKAGE_NOT_PAID_FOR' }],
    ['updating', { code: 'device_error', errorType: 'GATEWAY_IS_UPDATING' }],
    ['gone', { code: 'gone', errorType: 'GONE' }],
    ['rate_limited', { code: 'rate_limited', errorType: 'RATE_LIMIT_EXCEEDED' }],
    ['rate_limited_bare', { code: 'rate_limited', errorType: 'RATE_LIMIT_EXCEEDED' }],
  ])('%s: failed with its words, not read, not repeated, and the value falls back', async (kind, said) => {
    const system = await start();
    const { old } = weeks(system);
    system.simulator.control({ command: 'fault', kind, match: POST, times: 1 });
    const outcome = await write(system, SET, `{"value":${WISH},"id":"x"}`);
    expect(outcome.statuses).toEqual(['failed']);
    expect(outcome.terminal).toMatchObject({ ...said, id: 'x', device: 'home', feature: SCHEDULE, topic: SET, command: 'setSchedule' });
    expect(outcome.terminal.message).not.toBe('');
    expect([outcome.posts.length, outcome.reads]).toEqual([1, 0]);
    expect(entriesIn(outcome)).toEqual([old]);
  });

  test.each(['empty', 'rebooting'])('%s in its answer is a yes', async (kind) => {
    const system = await start();
    system.simulator.control({ command: 'fault', kind, match: POST, times: 1, execute: true });
    expect((await write(system, SET, WISH)).statuses).toEqual(['accepted', 'applied']);
  });

  test('nobody there: failed, and nothing was sent', async () => {
    const system = await start();
    const { old } = weeks(system);
    await system.simulator.close();
    const outcome = await write(system, SET, WISH);
    expect(outcome.statuses).toEqual(['failed']);
    expect(outcome.terminal.code).toMatch(/^(?:unreachable|cut)$/);
    expect(entriesIn(outcome)).toEqual([old]);
  });
});

describe('the platform takes no more calls (429)', () => {
  test('no further call goes out, and every command is answered', async () => {
    const system = await start({ device: { features: [SCHEDULE, 'heating.dhw.schedule'] } });
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', kind: 'rate_limited', match: POST, times: 1, limitReset: 120_000 });
    await write(system, SET, WISH);
    const calls = simulator.calls().length;
    const later = await write(system, SET, WISH);
    expect(later.terminal).toMatchObject({ status: 'failed', code: 'rate_limited' });
    expect(later.terminal.message).toContain('bridge/quota');
    const other = 'heating2mqtt/home/heating/dhw/schedule';
    expect((await write(system, `${other}/call/setSchedule`, WISH)).terminal).toMatchObject({ status: 'rejected', code: 'invalid' });
    expect((await write(system, `${other}/set`, '{"mon":[]}')).terminal).toMatchObject({ status: 'failed', code: 'rate_limited' });
    expect((await write(system, `${SET.replace(/set$/, 'validate')}`, WISH)).terminal).toMatchObject({ status: 'valid' });
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await barrier(system);
    expect(simulator.calls()).toHaveLength(calls);
    expect(system.logged.filter(({ sentence }) => sentence.includes('429'))).toHaveLength(1);
  });

  test('a feature that could not be read before is not read for a command either', async () => {
    const system = await start({
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'rate_limited', match: { path: '/features' }, times: 1 }),
    });
    const outcome = await write(system, SET, WISH);
    expect(outcome).toMatchObject({ statuses: ['failed'], reads: 0, posts: [] });
    expect(outcome.terminal).toMatchObject({ code: 'rate_limited', feature: SCHEDULE });
  });
});

describe('the access token has ended (401)', () => {
  const renewals = ({ simulator }: BridgeSystem): number => simulator.calls().filter(({ path }) => path.includes('/token')).length;

  test('it is renewed, and the command is sent once more', async () => {
    const system = await start();
    system.simulator.control({ command: 'expire_tokens' });
    const { statuses, posts } = await write(system, SET, WISH);
    expect(statuses).toEqual(['accepted', 'applied']);
    expect(posts.map(({ body }) => body)).toEqual([posts[0]?.body, posts[0]?.body]);
    expect(renewals(system)).toBe(1);
  });

  test('a login that has ended fails the command with what to do', async () => {
    const system = await start();
    system.simulator.control({ command: 'expire_tokens' });
    system.simulator.control({ command: 'revoke_refresh_tokens' });
    const { terminal, posts } = await write(system, SET, WISH);
    expect(terminal).toMatchObject({ status: 'failed', code: 'login_needed' });
    expect(terminal.message).toContain('heating2mqtt login');
    expect(posts).toHaveLength(1);
  });
});
