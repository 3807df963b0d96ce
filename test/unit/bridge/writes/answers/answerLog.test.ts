import { expect, test } from 'vitest';
import { answerLog } from '../../../../../src/bridge/writes/answers/answerLog.ts';
import type { Answer } from '../../../../../src/topics/resultPayload.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';

const ANSWER: Answer = {
  device: 'home',
  feature: 'heating.dhw.temperature.main',
  topic: 'heating2mqtt/home/heating/dhw/temperature/main/value/set',
  command: 'setTargetTemperature',
  status: 'applied',
  at: '2026-11-22T10:00:00.000Z',
};

const world = () => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const clock = { atMs: 0, elapsedMs: () => clock.atMs };
  return { logged, clock, log: answerLog(clock, recordingLog(logged)) };
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each<[answer: Partial<Answer>, asked: Parameters<ReturnType<typeof answerLog>['add']>[1], level: string, facts: object]>([
  [{}, { payload: bytes('52') }, 'info', { device: 'home', command: 'setTargetTemperature', payload: '52', by: 'MQTT' }],
  [{ message: 'of no use here' }, {}, 'info', expect.not.objectContaining({ why: expect.anything() })],
  [{ status: 'unchanged' }, { by: { kind: 'page' } }, 'info', { by: 'the page' }],
  [{ status: 'superseded' }, { by: { kind: 'page', user: 'Anna' } }, 'info', { by: 'Anna on the page' }],
  [{}, { by: { kind: 'end' } }, 'info', { by: 'the end of a temporary write' }],
  [{ changed: ['mon', 'tue'] }, { payload: bytes('x'.repeat(61)) }, 'info', expect.not.objectContaining({ payload: expect.anything() })],
  [{ changed: ['mon', 'tue'] }, {}, 'info', { days: ['mon', 'tue'] }],
  [{ status: 'failed', code: 'timeout', message: 'No answer.' }, {}, 'warn', { code: 'timeout', why: 'No answer.' }],
  [
    { status: 'rejected', code: 'invalid', errors: [{ path: '/1', rule: 'max', message: '99 is above the maximum of 60' }] },
    {},
    'info',
    { code: 'invalid', why: '/1 99 is above the maximum of 60' },
  ],
])('a final answer is one line: %j', (differs, asked, level, facts) => {
  const { log, logged } = world();
  const answer = { ...ANSWER, ...differs };
  log.add(answer, asked, true);
  expect(logged).toEqual([{ level, facts: expect.anything(), sentence: `write ${answer.status}` }]);
  expect(logged[0]?.facts).toMatchObject(facts);
});

test('what is not final, and what the bridge itself is asked for, is for debugging', () => {
  const { log, logged } = world();
  log.add({ ...ANSWER, status: 'accepted' }, {}, true);
  log.add({ topic: 'heating2mqtt/bridge/poll/set', status: 'applied', at: ANSWER.at }, {}, false);
  expect(logged.map(({ level }) => level)).toEqual(['debug', 'debug']);
});

test('a payload is not logged where no command takes it: it may be the address of a login', () => {
  const { log, logged } = world();
  const address = bytes('http://localhost:4200/?code=secret');
  const rejected = { status: 'rejected', code: 'unknown_topic', at: ANSWER.at } as const;
  log.add({ topic: 'heating2mqtt/bridge/auht/set', ...rejected }, { payload: address }, false);
  log.add({ topic: 'heating2mqtt/home/auth/set', device: 'home', ...rejected }, { payload: address }, true);
  expect(JSON.stringify(logged)).not.toContain('secret');
});

test('a client that writes without end does not fill the log', () => {
  const { log, logged, clock } = world();
  const flood = (): void => {
    for (let sent = 0; sent < 1000; sent += 1) log.add(ANSWER, {}, true);
  };
  const shown = (): number => logged.splice(0).filter(({ level }) => level !== 'debug').length;
  flood();
  expect(shown()).toBe(31);
  flood();
  expect(shown()).toBe(0);
  clock.atMs = 60_000;
  flood();
  expect(shown()).toBe(31);
});
