import { expect, test } from 'vitest';
import { type EndCause, ReconnectBackoff } from '../../../src/mqtt/reconnectBackoff.ts';
import { storiesIn, tellBy } from '../../support/story.ts';

/** The line was cut, with nothing under way, and nobody said why. */
const CUT: EndCause = { takenOver: false, explained: false, inFlight: 0 };

const tellStory = (...parts: readonly string[]): Promise<void> => {
  const backoff = new ReconnectBackoff();
  const ended = (end: EndCause, [lasted, ...pauses]: readonly string[]): void =>
    expect(pauses.map(() => backoff.ended(1000 * Number(lasted), end) / 1000)).toEqual(pauses.map(Number));
  return tellBy(
    {
      // Attempts that fail, with the pause after each in seconds.
      failed: (pauses) => expect(pauses.map(() => backoff.failed() / 1000)).toEqual(pauses.map(Number)),
      // Connections that lasted so long, with the pause after each.
      cut: (rest) => ended(CUT, rest),
      taken: (rest) => ended({ ...CUT, takenOver: true }, rest),
      busy: (rest) => ended({ ...CUT, explained: true, inFlight: 16 }, rest),
      // The same, where the broker took none of them.
      refused: (rest) => ended({ ...CUT, explained: true, inFlight: 16, isFruitful: false }, rest),
      contested: ([is]) => expect(backoff.contested).toBe(is === 'yes'),
    },
    parts,
  );
};

test.each(
  storiesIn(`
    doubles to ten seconds while the broker is not reached :: failed 1 2 4 8 10 10 10
    is a second after a good connection :: failed 1 2 4 8 10; cut 30 1; contested no
    does not shrink by a connection that ended at once :: failed 1 2 4 8 10; cut 0.01 10
    grows to five minutes where connections end again and again
      cut 0.5 1 2; contested no; cut 0.5 4; contested yes; cut 0.5 8 16 32 64 128 256 300; contested yes
    grows likewise where each of them ends under many messages, as both republish :: busy 0.5 1 2 4 8 10; contested no; busy 0.5 20 40; contested yes
    takes a broker that rejects the first messages for no other client :: refused 0.1 1 2 4 8 10 10 10 10 10; contested no
    takes a broker that starts anew for no other client :: cut 9 1 2; failed 4; cut 9 8 10; contested no
    is not shorter for a broker that is not reached meanwhile :: cut 0.5 1 2 4 8 16 32 64 128; failed 128
    grows from the first time that the broker says another client has come :: taken 0.5 1; contested yes; taken 3600 1; contested yes
  `),
)('the pause before the next attempt %s', (_, ...story) => tellStory(...story));

test.each<[what: string, durationMs: number, end: EndCause]>([
  ['after 20 s', 20_000, CUT],
  ['after half a second, each time at one message', 500, { ...CUT, explained: true, inFlight: 1 }],
])('the pause stays short on a line that falls again and again %s', (_what, durationMs, end) => {
  const backoff = new ReconnectBackoff();
  for (let fall = 0; fall < 100; fall += 1) {
    expect(backoff.ended(durationMs, end)).toBeLessThanOrEqual(durationMs > 1000 ? 1000 : 10_000);
    expect(backoff.contested).toBe(false);
  }
});

test('two that take the place from each other wait longer and longer, and each thinks it contested until one is gone', () => {
  const both = [new ReconnectBackoff(), new ReconnectBackoff()];
  let durationMs = 100;
  for (let round = 0; round < 40; round += 1) {
    const loser = both[round % 2];
    if (!loser) throw new Error('nobody');
    // Who came lives until the other has waited.
    durationMs = loser.ended(durationMs, CUT);
    if (round > 6) expect([round, loser.contested]).toEqual([round, true]);
  }
  expect(durationMs).toBe(300_000);
  expect(both[0]?.ended(3_600_000, CUT)).toBe(1000);
  expect(both[0]?.contested).toBe(false);
});
