import { describe, expect, test } from 'vitest';
import { commandReceiver } from '../../../../../src/bridge/writes/intake/commandReceiver.ts';
import { retainedCommands } from '../../../../../src/bridge/writes/intake/retainedCommands.ts';
import type { CommandRequest } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import type { Incoming } from '../../../../../src/shared/message.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { CommandWorld } from '../../../../support/execution/commandWorld.ts';

const CURVE = 'heating2mqtt/home/heating/curve';

/** The receiver before a handler that only takes note. */
const begin = (protocol: '5' | '3.1.1' = '5') => {
  const world = new CommandWorld([featureOf('heating.curve', { slope: { value: 1.4 } })]);
  const [submitted, own, cleared]: [CommandRequest[], string[], string[]] = [[], [], []];
  const address = world.replyTo();
  const silent = () => undefined;
  const publisher = { clear: (topic: string) => cleared.push(topic) > 0, taken: async () => undefined, bytesOn: () => 200 };
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const receiver = commandReceiver(
    { base: 'heating2mqtt', maxPayload: 100 },
    world.parser,
    { submit: (request) => void submitted.push(request) },
    { receive: (_, address, text) => void own.push(`${address.kind === 'events' ? address.name : address.what} ${text}`) },
    { replyTo: () => address },
    publisher,
    retainedCommands({ protocol }, publisher, () => undefined, world.clock, log),
    { add: () => 0, apply: () => undefined },
    world.clock,
    new AbortController().signal,
  );
  const receive = (topic: string, text: string, more: Partial<Incoming> = {}) =>
    receiver.receive({ topic, payload: Buffer.from(text), retain: false, ...more });
  return { receiver, receive, submitted, own, cleared, results: address.results };
};

describe('a message on a command topic', () => {
  test('becomes a command that holds nothing of MQTT but its topic as the source', () => {
    const { receive, submitted, results } = begin();
    receive(`${CURVE}/slope/set`, '{"value":1.2,"id":"a"}', { responseTopic: 'flows/1', correlationData: Buffer.from([1]) });
    expect(results).toEqual([]);
    expect(submitted).toHaveLength(1);
    const [{ target, replyTo: _, queued: __, ...command } = { target: undefined, replyTo: undefined, queued: undefined }] = submitted;
    expect(command).toEqual({
      source: `${CURVE}/slope/set`,
      id: 'a',
      address: { kind: 'set', device: 'home', path: ['heating', 'curve', 'slope'] },
      text: '{"value":1.2,"id":"a"}',
      atMs: 0,
    });
    expect(target).toMatchObject({
      kind: 'feature',
      device: 'home',
      feature: 'heating.curve',
      leaf: 'slope',
      stateTopic: `${CURVE}/slope`,
    });
  });

  test.each<[what: string, topic: string, text: string, more: Partial<Incoming>, code: string]>([
    ['without a payload', `${CURVE}/slope/set`, '', {}, 'empty'],
    ['retained', `${CURVE}/slope/set`, '1', { retain: true }, 'retained'],
    ['that is not UTF-8', `${CURVE}/slope/set`, '', { payload: Buffer.from([0xff]) }, 'invalid'],
    ['that is longer than what the topic shows', `${CURVE}/slope/set`, 'x'.repeat(1300), {}, 'invalid'],
    ['to no command', 'heating2mqtt/home/set', '1', {}, 'unknown_topic'],
  ])('%s is refused at once', (_, topic, text, more, code) => {
    const { receive, submitted, results } = begin();
    receive(topic, text, more);
    expect(results).toMatchObject([{ status: 'rejected', code }]);
    expect(submitted).toEqual([]);
  });

  test('may be as long as what its topic shows, with an envelope round it', () => {
    const { receive, submitted } = begin();
    receive(`${CURVE}/slope/set`, 'x'.repeat(1224));
    expect(submitted).toHaveLength(1);
  });

  test.each(['undo', 'waiting', 'surplus'])('without a value, as %s, has its id all the same', (verb) => {
    const { receive, submitted } = begin();
    receive(`${CURVE}/${verb}/set`, '{"id":"a"}');
    expect(submitted.map(({ id }) => id)).toEqual(['a']);
  });

  test('for the bridge itself goes there', () => {
    const { receive, submitted, own } = begin();
    receive('heating2mqtt/bridge/poll/set', 'home');
    expect([own, submitted]).toEqual([['poll home'], []]);
  });

  test('that was retained is cleared; with MQTT 3.1.1 what comes back of that is no command', () => {
    const { receive, cleared, results } = begin('3.1.1');
    receive(`${CURVE}/slope/set`, '1', { retain: true });
    receive(`${CURVE}/slope/set`, '');
    expect(cleared).toEqual([`${CURVE}/slope/set`]);
    expect(results).toMatchObject([{ code: 'retained' }]);
    receive(`${CURVE}/slope/set`, '');
    expect(results).toMatchObject([{ code: 'retained' }, { code: 'empty' }]);
  });

  test('from elsewhere than the broker is taken by the same rules, with an id of its own', () => {
    const { receiver, submitted, own, results, cleared } = begin('3.1.1');
    const submit = (topic: string, text: string): void =>
      receiver.submit({ topic, payload: Buffer.from(text), id: 'mine', by: { kind: 'page' }, onAnswer: () => undefined });
    submit(`${CURVE}/slope/set`, '1');
    submit(`${CURVE}/slope/set`, '{"value":1,"id":"theirs"}');
    expect(submitted.map(({ id, source }) => [id, source])).toEqual([
      ['mine', `${CURVE}/slope/set`],
      ['theirs', `${CURVE}/slope/set`],
    ]);
    submit('heating2mqtt/bridge/poll/set', 'home');
    expect(own).toEqual(['poll home']);
    submit(`${CURVE}/slope/set`, '');
    submit('heating2mqtt/home/set', '1');
    submit(`${CURVE}/slope/set`, 'x'.repeat(1300));
    expect(results).toMatchObject([
      { id: 'mine', code: 'empty' },
      { id: 'mine', code: 'unknown_topic' },
      { id: 'mine', code: 'invalid' },
    ]);
    // A message of the broker with the same content is no copy of it.
    receiver.receive({ topic: `${CURVE}/slope/set`, payload: Buffer.from('1'), retain: true });
    expect(cleared).toEqual([`${CURVE}/slope/set`]);
    expect(results.at(-1)).toMatchObject({ code: 'retained' });
  });
});
