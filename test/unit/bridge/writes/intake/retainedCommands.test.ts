import { expect, test } from 'vitest';
import { retainedCommands } from '../../../../../src/bridge/writes/intake/retainedCommands.ts';
import { msOf, storiesIn, tellBy } from '../../../../support/story.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const message = (payload: string, topic = 'a/set') => ({ topic, payload: Buffer.from(payload), retain: false });

const tellStory = (protocol: '5' | '3.1.1', ...parts: readonly string[]): Promise<void> => {
  const clock = fakeClock();
  const again: number[] = [];
  const [cleared, logged]: [string[], { level: string; facts: object; sentence: string }[]] = [[], []];
  let broker = Promise.withResolvers<void>();
  const publisher = { clear: (topic: string) => cleared.push(topic) > 0, taken: () => broker.promise };
  const retained = retainedCommands({ protocol }, publisher, (topics) => void again.push(topics.length), clock, recordingLog(logged));
  return tellBy(
    {
      live: ([payload = '', topic]) => retained.live(message(payload, topic)),
      // A retained message: is it refused, or the copy of what came live?
      refused: ([payload = '', topic]) => expect(retained.clear(message(payload, topic))).toBe(true),
      copy: ([payload = '']) => expect(retained.clear(message(payload))).toBe(false),
      pass: ([span = '']) => clock.pass(msOf(span)),
      reconnected: () => retained.reconnected(),
      own: ([topic = '']) => expect(retained.isOwnEcho(topic)).toBe(true),
      foreign: ([topic = '']) => expect(retained.isOwnEcho(topic)).toBe(false),
      many: ([count]) => {
        for (let n = 0; n < Number(count); n += 1) retained.clear(message('x', `many/${n}`));
      },
      again: (counts) => expect(again).toEqual(counts.filter(Boolean).map(Number)),
      cleared: (topics) => expect(cleared).toEqual(topics),
      // The broker takes what was cleared until now.
      taken: () => {
        broker.resolve();
        broker = Promise.withResolvers();
      },
      warned: (_, text) =>
        expect(
          logged
            .splice(0)
            .map(({ facts, sentence }) => `${Object.values(facts).flat().join(' ')} ${sentence.replace(';', ',')}`)
            .join(' + '),
        ).toBe(text),
    },
    parts,
  );
};

test.each(
  storiesIn(`
    refused where nothing like it came live
      refused x; live y; live x b/set; refused x c/set; cleared a/set c/set; warned ; taken; taken
      warned a/set a retained command was not executed, its topic was cleared + c/set a retained command was not executed, its topic was cleared
    not refused where it is the copy of what was executed; a further copy is not cleared again
      live x; live y; copy x; cleared a/set; copy x; cleared a/set; live x; copy x; cleared a/set a/set
      taken; warned a/set a command was published retained, its topic was cleared
    looked for once more where many came, as brokers drop some; not where the same come back
      many 30; taken; taken; again 29; many 30; taken; taken; again 29; reconnected; many 30; taken; taken; again 29 29
    told in one line with others, when the broker has all of them
      refused x a/1; refused x a/2; refused x a/3; warned ; taken; taken
      warned a/1 a retained command was not executed, its topic was cleared + 2 a/2 a/3 retained commands were not executed, their topics were cleared
    refused where what came live came long ago :: live x; pass 9999ms; copy x; pass 1ms; refused x
    refused where it came live on an earlier connection :: live x; refused y; reconnected; foreign a/set; refused x
  `),
)('a retained message is cleared and %s', (_, ...story) => tellStory('3.1.1', ...story));

test('a retained message is cleared and refused always with MQTT 5, which shows the flag of a live message', () =>
  tellStory('5', 'live x; refused x; foreign a/set'));

test('an empty message is our own as often as we cleared the topic', () =>
  tellStory('3.1.1', 'foreign a/set; refused x; refused y; own a/set; own a/set; foreign a/set; foreign b/set'));
