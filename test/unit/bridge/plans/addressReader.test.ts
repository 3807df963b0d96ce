import { expect, test } from 'vitest';
import { followAddress } from '../../../../src/bridge/plans/addressReader.ts';

const HOUR_MS = 3_600_000;

test('an address is read each hour, after failures more and more rarely, and daily where there is no such thing; an outage is told once', async () => {
  const stop = new AbortController();
  const broken = new Error('the server answers 503');
  const outcomes = [undefined, broken, broken, Object.assign(new Error('gone'), { isGone: true }), undefined, broken];
  const [waits, told, reasons]: [number[], string[], string[]] = [[], [], []];
  const read = async (): Promise<void> => {
    if (outcomes.length === 0) stop.abort();
    const outcome = outcomes.shift() ?? (stop.signal.aborted ? broken : undefined);
    if (outcome) throw outcome;
  };
  const clock = { now: () => 0, elapsedMs: () => 0, sleep: async (ms: number) => void waits.push(ms / HOUR_MS) };
  const line = (_: object, sentence: string): void => void told.push(sentence);
  const failed = (why: string): void => void reasons.push(why);
  await followAddress({ prices: 'x' }, read, { clock, log: { info: line, warn: line } }, stop.signal, failed, () => 0.5);
  expect(waits).toEqual([1, 1, 2, 24, 1, 1]);
  const away = 'the address cannot be read; it is tried again later';
  expect(told).toEqual([away, 'the address can be read again', away]);
  expect(reasons).toEqual([broken.message, broken.message, 'gone', broken.message]);
});
