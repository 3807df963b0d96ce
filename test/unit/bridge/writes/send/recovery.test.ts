import { expect, onTestFinished, test } from 'vitest';
import type { StoredWrite } from '../../../../../src/bridge/ports.ts';
import { DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { keepQueued } from '../../../../../src/bridge/writes/intake/queued.ts';
import { type About, type CommandResult, type ReplyAddress, reply } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { type Confirmation, confirmationOf } from '../../../../../src/bridge/writes/send/confirmation.ts';
import { recoverWrites } from '../../../../../src/bridge/writes/send/recovery.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { broken } from '../../../../../src/shared/issue.ts';
import { SerialQueue } from '../../../../../src/shared/serialQueue.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

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
  for (const { key } of writes.all()) writes.apply([key], { kind: 'resumed' });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  await recoverWrites(writes, states, undefined, noReads(stop.signal), new SerialQueue(), recordingLog([]));
  return answers;
};

const noReads = (signal: AbortSignal): Confirmation => {
  const never = (): never => {
    throw new Error('nothing is to be read');
  };
  return confirmationOf({ readAsPoll: never, showing: never } as never, clock, [5], signal);
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
