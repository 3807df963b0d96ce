import { expect, onTestFinished, test } from 'vitest';
import type { StoredWrite } from '../../../../../src/bridge/ports.ts';
import { type Device, DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { keepQueued } from '../../../../../src/bridge/writes/intake/queued.ts';
import { type About, type CommandResult, type ReplyAddress, reply } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { type Confirmation, confirmationOf } from '../../../../../src/bridge/writes/send/confirmation.ts';
import { answerUnsent, recoverWrites } from '../../../../../src/bridge/writes/send/recovery.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { type WriteLog, writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { broken } from '../../../../../src/shared/issue.ts';
import { SerialQueue } from '../../../../../src/shared/serialQueue.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const FEATURE = 'heating.curve';
const clock = fakeClock();
const state = new DeviceState(DEVICE);
const states = new Map([[deviceKey(DEVICE), state]]);

/** A run of the bridge over these rows whose broker takes nothing; `answers`: what it has tried to send. */
const run = (rows: Map<number, StoredWrite>) => {
  const answers: CommandResult[] = [];
  const replyTo: ReplyAddress = (_, result) => void answers.push(JSON.parse(JSON.stringify(result)));
  const writes = writeLog(writeStore(rows), states, { replyTo: () => replyTo }, clock, recordingLog([]));
  return { answers, replyTo, writes };
};

/** What the next run answers, without a read. */
const nextRun = async (rows: Map<number, StoredWrite>): Promise<readonly CommandResult[]> => {
  const { answers, writes } = run(rows);
  answerUnsent(writes);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  await recoverWrites(writes, states, undefined, noReads(writes, stop.signal), new SerialQueue(), recordingLog([]));
  return answers;
};

const noReads = (writes: WriteLog, signal: AbortSignal): Confirmation => {
  const never = (): never => {
    throw new Error('nothing is to be read');
  };
  return confirmationOf(writes, { readAsPoll: never, showing: never } as never, clock, [5], signal);
};

test.each<[what: string, result: CommandResult, about: About]>([
  [
    'refusal with its broken rules',
    { status: 'rejected', code: 'invalid', message: 'x'.repeat(600), errors: [broken('past', '/until', 'that has passed')] },
    { envelope: { id: 'a' }, feature: FEATURE, command: 'setCurve' },
  ],
  [
    'refusal with its facts',
    { status: 'rejected', code: 'not_executable', message: 'm', facts: { about: 'not_now', command: 'setCurve', others: ['reset'] } },
    { envelope: {}, feature: FEATURE, command: 'setCurve' },
  ],
  ['check', { status: 'valid', text: 'mon none', changed: ['mon'] }, { envelope: { id: 1 }, feature: FEATURE, untilMs: clock.now() }],
  [
    'value of a climate that was so already',
    { status: 'unchanged', rev: '1' },
    { envelope: {}, feature: FEATURE, details: { feature: 'heating.circuits.0.climate', through: FEATURE, rounded_from: 20.2 } },
  ],
])('a %s that had not arrived when the bridge ended is the same from the next run', async (_, result, about) => {
  const rows = new Map<number, StoredWrite>();
  const { answers, replyTo, writes } = run(rows);
  const target = { kind: 'stored', state, device: 'home', feature: FEATURE } as const;
  const request = { source: 't', replyTo, id: about.envelope.id, target };
  const queued = keepQueued(writes, clock, request);
  await new Promise(setImmediate);
  reply({ ...request, queued }, result, about);
  expect([answers.length, await nextRun(rows)]).toEqual([1, answers]);
});

test('the answer of a write that was sent is the same from the next run, and what history keeps is short once it has arrived', async () => {
  const rows = new Map<number, StoredWrite>();
  const { answers, replyTo, writes } = run(rows);
  const target = { kind: 'stored', state, device: 'home', feature: FEATURE } as const;
  const request = {
    ...{ source: 't', replyTo, id: 'a', target, text: '', atMs: 0 },
    address: { kind: 'set', device: 'home', path: [] },
  } as const;
  const details = { feature: 'heating.circuits.0.climate', through: FEATURE, rounded_from: 20.2 };
  const about: About = { envelope: { id: 'a' }, feature: FEATURE, command: 'setCurve', untilMs: 1_000_000, details };
  const row: Omit<SentWrite, 'key'> = {
    ...{ device: deviceKey(DEVICE), feature: FEATURE, at: 0, state: 'sent', name: 'home', topic: 't', id: 'a', command: 'setCurve' },
    ...{ composite: details.feature, rounded: 20.2, until: 1_000_000, values: { slope: 1 }, changed: ['mon'], answer: 'open' },
  };
  const key = writes.add(row, { request, about });
  writes.apply([key], { kind: 'accepted', words: {} });
  writes.apply([key], { kind: 'confirmed', result: { status: 'applied', rev: 'r', reason: 'why' } });
  expect(await nextRun(new Map(rows))).toEqual(answers.slice(1));
  expect(answers[1]).toMatchObject({ status: 'applied', rev: 'r', until: '1970-01-01T00:16:40.000Z', through: FEATURE, changed: ['mon'] });
  writes.apply([key], { kind: 'delivered' });
  expect(outcomeIn(rows, key)).toEqual({ status: 'applied' });
});

const outcomeIn = (rows: ReadonlyMap<number, StoredWrite>, key: number): unknown =>
  (rows.get(key)?.facts as { readonly outcome?: unknown } | undefined)?.outcome;

/** The next run over one write that was sent: what it asks and answers, and what is kept then. */
const recovered = async (
  more: Partial<SentWrite>,
  shows: CommandResult = { status: 'unconfirmed', code: 'not_shown' },
  known: ReadonlyMap<string, DeviceState> = states,
  discovery?: { devices(): readonly Device[] | undefined },
  queue = new SerialQueue(),
  read = async () => shows,
) => {
  const write: SentWrite = {
    ...{ key: 1, device: deviceKey(DEVICE), feature: FEATURE, at: 0, state: 'accepted', name: 'home', topic: 't', command: 'setCurve' },
    ...{ values: { slope: 1 }, answer: 'open', ...more },
  };
  const rows = new Map([[1, { ...storedOf(write), isLive: true }]]);
  const told: string[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const replyTo: ReplyAddress = (_, { status, code }) => void told.push([status, code].filter((one) => one).join(' '));
  const writes = writeLog(writeStore(rows), known, { replyTo: () => replyTo }, clock, recordingLog([]));
  const recheck = (): Promise<CommandResult> => {
    told.push('asked');
    return read();
  };
  await recoverWrites(writes, known, discovery, { recheck } as never, queue, recordingLog(logged));
  const left = (rows.get(1)?.facts ?? {}) as Partial<SentWrite>;
  return [...told, left.state, ...(logged.length > 0 ? ['warned'] : [])].join(', ');
};

const LOST = { state: 'lost', isPossible: true } as const;
const BLIND = { values: undefined } as const;

test.each<[write: Partial<SentWrite>, shows: CommandResult, expected: string]>([
  [{}, { status: 'applied' }, 'asked, applied, accepted, warned'],
  [{}, { status: 'unconfirmed', code: 'not_shown' }, 'asked, unconfirmed interrupted, accepted, warned'],
  [{ outcome: { status: 'accepted' } }, { status: 'applied' }, 'asked, applied, accepted, warned'],
  [{}, { status: 'applied', adapted: 5 }, 'asked, applied, accepted, warned'],
  [LOST, { status: 'applied' }, 'asked, applied, accepted, warned'],
  [LOST, { status: 'unconfirmed', code: 'not_shown' }, 'asked, unconfirmed interrupted, lost, warned'],
  // What was accepted was carried out, where nothing tells its effect.
  [BLIND, { status: 'unconfirmed', code: 'not_shown' }, 'asked, applied, accepted, warned'],
  [{ ...LOST, ...BLIND }, { status: 'unconfirmed', code: 'not_shown' }, 'asked, unconfirmed interrupted, lost, warned'],
  // The run after it asks again.
  [{}, { status: 'unconfirmed', code: 'stopping' }, 'asked, accepted, warned'],
  // What has its answer is asked for only where it lies over a temporary write.
  [{ answer: 'delivered' }, { status: 'applied' }, 'accepted'],
  [{ answer: 'delivered', over: true }, { status: 'applied' }, 'asked, accepted'],
  [{ answer: 'delivered', over: true, state: 'settled' }, { status: 'applied' }, 'settled'],
  [{ state: 'failed', outcome: { status: 'failed', code: 'validation' } }, { status: 'applied' }, 'failed validation, failed'],
  [{ state: 'failed' }, { status: 'applied' }, 'unconfirmed interrupted, failed'],
  [{ outcome: { status: 'applied' } }, { status: 'applied' }, 'applied, accepted'],
  [{ outcome: { status: 'applied' }, kept: ['mon'] }, { status: 'applied' }, 'asked, superseded, accepted, warned'],
])('what an earlier run has left as %j, of which it is found out %j: %s', async (write, shows, expected) => {
  expect(await recovered(write, shows)).toBe(expected);
});

const LEFT_OUT = new DeviceState({ ...DEVICE, exclude: [FEATURE] });

test.each<[what: string, known: ReadonlyMap<string, DeviceState>, devices: readonly Device[] | 'unknown' | undefined, state: string]>([
  ['the settings name other devices', new Map(), undefined, 'settled'],
  ['the installation has it no more', new Map(), [], 'settled'],
  ['it is not known which devices there are', new Map(), 'unknown', 'accepted'],
  ['the settings leave its feature out', new Map([[deviceKey(DEVICE), LEFT_OUT]]), [DEVICE], 'settled'],
  ['it is there', states, [DEVICE], 'accepted'],
])('no read will show what was sent to a device where %s: %s', async (_, known, devices, state) => {
  const discovery = devices && { devices: () => (devices === 'unknown' ? undefined : devices) };
  expect(await recovered({ answer: 'delivered', isUndoable: true }, undefined, known, discovery)).toBe(state);
  const asked = known.size > 0 ? 'asked, ' : '';
  expect(await recovered({}, undefined, known, discovery)).toBe(`${asked}unconfirmed interrupted, ${state}, warned`);
  expect(await recovered({ outcome: { status: 'applied' } }, undefined, known, discovery)).toBe(`applied, ${state}`);
});

test('only what an earlier run has not sent is answered before all else', () => {
  const rows = new Map<number, StoredWrite>();
  const row = { device: deviceKey(DEVICE), feature: FEATURE, at: 0, name: 'home', topic: 't', id: 'left' };
  run(rows).writes.add({ ...row, state: 'queued' }, undefined);
  const { answers, writes } = run(rows);
  writes.add({ ...row, id: 'new', state: 'queued' }, undefined);
  writes.add({ ...row, id: 'sent', state: 'accepted', command: 'setCurve', answer: 'open' }, undefined);
  answerUnsent(writes);
  expect(answers).toMatchObject([{ id: 'left', status: 'failed', code: 'interrupted' }]);
});

test.each([
  ['whose answer was lost', LOST, true],
  ['that was accepted', {}, false],
])('while it is not known what became of a write %s, the other writes to its device wait: %s', async (_, more, isWaiting) => {
  const queue = new SerialQueue();
  let isFree = false;
  void recovered(more, undefined, states, undefined, queue, () => new Promise(() => undefined));
  void queue.turn(deviceKey(DEVICE)).then(() => {
    isFree = true;
  });
  await settled();
  expect(isFree).toBe(!isWaiting);
});
