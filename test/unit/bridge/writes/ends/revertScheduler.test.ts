import { expect, onTestFinished, test } from 'vitest';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { makeEnds } from '../../../../../src/bridge/writes/ends/ends.ts';
import { revertScheduler } from '../../../../../src/bridge/writes/ends/revertScheduler.ts';
import type { PlannedWrite } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import { type CommandResult, type DeviceRequest, reply } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SLOPE = 'heating.curve';
const KEY = { device: '7571381699991111/0', feature: SLOPE };

const curve = (slope: number) =>
  featureOf(SLOPE, { slope: { value: slope } }, { commands: new Map([commandOf('setCurve', { slope: ['number'] })]) });

const stateOf = (): DeviceState => {
  const device = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };
  const state = new DeviceState(device);
  state.take(curve(2), 0);
  return state;
};

/** A temporary write of the slope (1.4 → 2), running as the file says, with a queue that answers as it is told. */
const startReverts = (
  untilInMs: number,
  answer: (write: PlannedWrite) => CommandResult,
  isLostToo = false,
  mayReturn: (nowMs: number) => boolean = () => true,
  states = new Map<string, DeviceState>([[KEY.device, stateOf()]]),
) => {
  const clock = fakeClock();
  const untilMs = clock.now() + untilInMs;
  const end = { untilMs, parts: [{ property: 'slope', written: 2, former: 1.4 }] };
  const write: SentWrite = {
    ...{ ...KEY, key: 1, at: 0, name: 'home', topic: 't', state: 'settled', command: 'setCurve', answer: 'delivered' },
    end,
  };
  const lost: SentWrite = { ...write, key: 2, isPossible: true, end: { ...end, untilMs: untilMs + 1 } };
  const kept = (isLostToo ? [write, lost] : [write]).map((one) => [one.key, storedOf(one)] as const);
  const [tried, told, warned, counted]: [number[], string[], object[], string[]] = [[], [], [], []];
  let keptBack = 0;
  const begun = clock.now();
  const enqueue = (request: DeviceRequest, write: PlannedWrite): void => {
    tried.push(clock.now() - begun);
    const result = answer(write);
    void settled(1).then(() =>
      reply(request, result, undefined, () => {
        keptBack += 1;
      }),
    );
  };
  const results = {
    replyTo:
      () =>
      (_: unknown, { status, code }: CommandResult) =>
        void told.push([status, code].join(' ').trim()),
  };
  const log = { ...recordingLog([]), warn: (facts: object) => void warned.push(facts) };
  const writes = writeLog(writeStore(new Map(kept)), states, results, clock, log);
  const ends = makeEnds(writes, states);
  const reverts = revertScheduler(
    { base: 'b', rules: { allow: ['*'], deny: [] } },
    states,
    ends,
    results,
    { forReturn: () => (mayReturn(clock.now() - begun) ? ({ status }) => void counted.push(status) : undefined) },
    clock,
    log,
  );
  writes.on('endChanged', () => reverts.wake());
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  void reverts.run(stopping.signal, enqueue);
  return { clock, ends, states, tried, told, warned, counted, keptBack: () => keptBack };
};

const DOWN: CommandResult = { status: 'failed', code: 'unreachable', message: 'the platform cannot be reached' };

test('what could not go through is tried again, more and more seldom, and told once', async () => {
  const { clock, tried, told, warned, ends, counted, keptBack } = startReverts(0, () => DOWN);
  await clock.pass(10 * HOUR);
  const pauses = tried.slice(1).map((at, index) => (at - (tried[index] ?? 0)) / MINUTE);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60, 60, 60].slice(0, pauses.length));
  expect(pauses.length).toBeGreaterThan(12);
  expect(told).toEqual(['failed unreachable']);
  expect(warned).toHaveLength(1);
  expect(ends.all()).toHaveLength(1);
  // What is kept back counts as delivered.
  expect([keptBack(), counted.length]).toEqual([tried.length - 1, tried.length]);
});

test('what the platform has no more for a week is given up, and told', async () => {
  const { clock, told, ends } = startReverts(HOUR / 2 - 7 * 24 * HOUR, () => ({ status: 'rejected', code: 'unknown_feature' }));
  await clock.pass(HOUR / 2);
  expect([told, ends.all().length]).toEqual([['rejected unknown_feature'], 1]);
  await clock.pass(HOUR / 2);
  expect([told, ends.all().length]).toEqual([['rejected unknown_feature', 'rejected unknown_feature'], 0]);
});

test('what the platform does not list is tried once, and comes back within a minute of being listed again', async () => {
  const states = new Map([[KEY.device, stateOf()]]);
  const absences = states.get(KEY.device)?.absences;
  absences?.set(SLOPE, { since_ms: 0, reads: 1 });
  const answer = (): CommandResult => (absences?.size ? { status: 'rejected', code: 'unknown_feature' } : { status: 'unchanged' });
  const { clock, tried, told, counted } = startReverts(0, answer, false, () => true, states);
  await clock.pass(40 * HOUR);
  expect([tried, counted]).toEqual([[0], ['rejected']]);
  absences?.delete(SLOPE);
  await clock.pass(MINUTE);
  expect([tried.length, told]).toEqual([2, ['rejected unknown_feature', 'unchanged']]);
});

test('a plan without a call for it returns a minute later, and what is on a device that is not known is looked at each hour', async () => {
  const limited = startReverts(
    0,
    () => ({ status: 'applied' }),
    false,
    (nowMs) => nowMs >= MINUTE / 3,
  );
  await limited.clock.pass(HOUR);
  expect(limited.tried[0]).toBe(MINUTE);
  const { clock, states, tried, told } = startReverts(
    0,
    () => ({ status: 'applied' }),
    false,
    () => true,
    new Map(),
  );
  await clock.pass(10 * MINUTE);
  states.set(KEY.device, stateOf());
  await clock.pass(2 * HOUR);
  expect([tried[0], told[0]]).toEqual([HOUR, 'applied']);
});

test('two ends on one feature, one of them of a write whose answer was lost, are tried no more often than that', async () => {
  let tries = 0;
  const down = (): CommandResult => {
    tries += 1;
    if (tries > 100) throw new Error('tried for ever');
    return DOWN;
  };
  const { clock, tried } = startReverts(0, down, true);
  await clock.pass(10 * HOUR);
  expect(tried).toHaveLength(30);
});

test('an end that is moved while it waits for its turn does not come, and is tried afresh', async () => {
  let isDown = true;
  const { clock, tried, ends } = startReverts(0, () => (isDown ? DOWN : { status: 'unchanged' }));
  await clock.pass(40 * MINUTE);
  const before = tried.length;
  ends.move(KEY, clock.now() + 5 * MINUTE);
  isDown = false;
  await clock.pass(5 * MINUTE);
  expect(tried.slice(before)).toEqual([45 * MINUTE]);
});

test('what has found another end before its turn sends nothing, and nobody hears of it', async () => {
  const waiting: PlannedWrite[] = [];
  const { clock, ends, told } = startReverts(MINUTE, (write) => {
    waiting.push(write);
    ends.move(KEY, clock.now() + HOUR);
    return { status: 'unchanged' };
  });
  await clock.pass(MINUTE);
  const [{ content } = { content: undefined }] = waiting;
  expect(content?.kind === 'deferred' && content.resolve(curve(2))).toEqual({ kind: 'unchanged' });
  await clock.pass(HOUR - 1);
  expect(told).toEqual([]);
  expect(waiting).toHaveLength(1);
  expect(ends.all()).toHaveLength(1);
});
