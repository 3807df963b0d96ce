import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownDevice, PublishedTopicChange, PublishedTopics } from '../../../src/bridge/ports.ts';
import { recordOf } from '../../../src/features/parseFeature.ts';
import { countBeside } from '../../../src/storage/callRepository.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { runs } from '../../support/chance.ts';
import { featureOf } from '../../support/devices/features.ts';
import { callsIn, inDatabase, storageRuns } from '../../support/system/database.ts';

const held = (topic: string): PublishedTopicChange => ({ kind: 'held', topic, owner: 'a', hash: 'h' });
const gone = (topic: string): PublishedTopicChange => ({ kind: 'gone', topic });

describe('published topics', () => {
  const known = ({ held, cleared, lastCheckpointId, checkpointId }: PublishedTopics) => ({
    held: [...held].sort(),
    cleared: [...cleared],
    lastCheckpointId,
    checkpointId,
  });

  test('whatever is written is the same after a restart', () => {
    const topic = fc.constantFrom('a', 'b', '__proto__', 'ä/%20', 'line\nbreak', '"');
    const line = fc.oneof(
      fc.record({ kind: fc.constant('sending' as const), topic, owner: fc.string() }),
      fc.record({ kind: fc.constant('held' as const), topic, owner: fc.string(), hash: fc.string({ minLength: 1 }) }),
      fc.record({ kind: fc.constant('gone' as const), topic }),
      fc.record({ kind: fc.constant('nextCheckpoint' as const), id: fc.nat() }),
      fc.record({ kind: fc.constant('checkpoint' as const), id: fc.option(fc.nat(), { nil: undefined }) }),
    );
    const { start } = storageRuns();
    fc.assert(
      fc.property(fc.array(fc.array(line)), (writes) => {
        const { publishedTopics } = start();
        for (const lines of writes) publishedTopics.write(lines);
        const left = known(publishedTopics);
        expect(known(start().publishedTopics)).toEqual(left);
      }),
      { numRuns: runs(100) },
    );
  });

  test('the last 500 topics that were cleared are remembered', () => {
    const { start } = storageRuns();
    start().publishedTopics.write(Array.from({ length: 800 }, (_, n) => gone(`topic ${n}`)));
    expect([...start().publishedTopics.cleared.keys()]).toEqual(Array.from({ length: 500 }, (_, n) => `topic ${n + 300}`));
  });

  test('nothing is written after the end', () => {
    const { start } = storageRuns();
    const first = start();
    first.close();
    first.publishedTopics.write([held('x')]);
    expect(start().publishedTopics.held.size).toBe(0);
  });
});

describe('device states', () => {
  const shown = (name: string, value: number) => ({ feature: featureOf(name, { value: { value } }) });
  const record = (name: string, value: number) => ({ name, record: recordOf(shown(name, value).feature) });
  const FACTS = { reads: [{ at: 1, chosen: 'x' }], absences: {} };
  /** What a run knows, until it knows something else. */
  const knownBy = ({ deviceStates }: Storage) => {
    let devices: readonly KnownDevice[] = [];
    deviceStates.keeps(() => devices);
    return (...now: readonly KnownDevice[]): void => {
      devices = now;
    };
  };

  test('are those last known, in the order in which features came first', () => {
    const { start } = storageRuns();
    const storage = start();
    const know = knownBy(storage);
    know({ device: 'g/0', facts: FACTS, features: [shown('b', 1), shown('a', 1), shown('c', 1)] });
    storage.flush();
    storage.deviceStates.forget('g/0', ['c', 'd']);
    const facts = { ...FACTS, availability: 'online' as const, absences: { a: { since_ms: 5, reads: 2 } } };
    know({ device: 'g/0', facts, features: [shown('b', 2), { ...shown('d', 1), offered: shown('d', 2).feature }] });
    const again = start().deviceStates;
    expect(again.features('g/0')).toEqual([record('b', 2), record('a', 1), { ...record('d', 1), offered: record('d', 2).record }]);
    expect(again.facts('g/0')).toEqual(facts);
    expect([again.features('g/1'), again.facts('g/1')]).toEqual([[], undefined]);
  });

  test('wait for those of half an hour', async () => {
    const { dir, start } = storageRuns();
    const storage = start();
    knownBy(storage)({ device: 'g/0', facts: FACTS, features: [shown('a', 1)] });
    const kept: number[] = [];
    const sleep = async (): Promise<void> => {
      kept.push(inDatabase(dir, (database) => Number(database.prepare('SELECT count(*) AS n FROM features').get()?.['n'])));
      if (kept.length > 31) throw new Error('stopped');
    };
    const clock = { now: () => 0, elapsedMs: () => 0, sleep };
    await expect(storage.watchFiles(clock, new AbortController().signal, () => undefined)).rejects.toThrow('stopped');
    expect(kept.indexOf(1)).toBe(30);
  });

  test('that are as they were cost no write, however many devices there are', () => {
    const { dir, start } = storageRuns();
    const storage = start();
    const features = Array.from({ length: 20 }, (_, n) => shown(`f${n}`, 1));
    knownBy(storage)(...Array.from({ length: 50 }, (_, n) => ({ device: `g/${n}`, facts: FACTS, features })));
    storage.flush();
    const changes = inDatabase(dir, (database) => {
      const before = database.prepare('PRAGMA data_version').get();
      storage.flush();
      return [before, database.prepare('PRAGMA data_version').get()];
    });
    expect(changes[1]).toEqual(changes[0]);
  });
});

describe('calls', () => {
  const DAY_MS = 86_400_000;

  test('are kept with what others spent and the pause, the later ones of the same in the place of the earlier', () => {
    const { start } = storageRuns();
    const { calls } = start();
    calls.append({ kind: 'call', at: 2000, poll: false, cause: 'command' });
    calls.append({ kind: 'call', at: 2000, poll: true, cause: 'identity' });
    for (const spent of [5, 7]) calls.append({ kind: 'foreign', at: 3000, until: 4000, calls: spent });
    for (const until of [4000, 5000]) calls.append({ kind: 'pause', until, at: 3000 });
    expect(start().calls).toMatchObject({
      lost: 0,
      kept: [
        { kind: 'call', at: 2000, poll: false, cause: 'command' },
        { kind: 'call', at: 2000, poll: true, cause: 'identity' },
        { kind: 'foreign', at: 3000, until: 4000, calls: 7 },
        { kind: 'pause', until: 5000, at: 3000 },
      ],
    });
  });

  test('older than their window are removed with what waits', () => {
    const { dir, start } = storageRuns();
    const { calls, flush } = start();
    for (let hour = 0; hour < 100; hour += 1) calls.append({ kind: 'call', at: hour * 3_600_000, poll: true, cause: 'poll' });
    flush();
    expect(callsIn(dir)).toBe(DAY_MS / 3_600_000 + 1);
  });

  test('are written in bunches of six, each once, also where what waits is written or the clock was set meanwhile', () => {
    const { dir, start } = storageRuns();
    const { calls, flush } = start();
    const on: number[] = [];
    for (let n = 1; n <= 17; n += 1) {
      calls.append({ kind: 'call', at: n, poll: true, cause: 'poll' });
      if (n === 14) flush();
      on.push(callsIn(dir));
    }
    expect(on).toEqual([...Array(5).fill(0), ...Array(6).fill(6), 12, 12, 14, 14, 14, 14]);
    calls.rewrite(Array.from({ length: 3 }, (_, at) => ({ kind: 'call', at, poll: true, cause: 'poll' })));
    flush();
    expect(callsIn(dir)).toBe(3);
  });

  test('that are counted beside a running bridge take the place of none that waits', async () => {
    const { dir, start } = storageRuns();
    const { calls, flush } = start();
    for (const at of [1, 2]) {
      calls.append({ kind: 'call', at, poll: true, cause: 'poll' });
      await countBeside(dir, at);
    }
    flush();
    expect(callsIn(dir)).toBe(4);
  });

  test.each([0, 2 * 86_400_000])('are replaced as a whole after the clock was set back by %i ms', (aheadMs) => {
    const { start } = storageRuns();
    const { calls, flush } = start();
    for (let n = 0; n < 3; n += 1) calls.append({ kind: 'call', at: aheadMs + n, poll: true, cause: 'poll' });
    calls.rewrite([{ kind: 'call', at: 9, poll: false, cause: 'confirm' }]);
    flush();
    expect(start().calls.kept).toEqual([{ kind: 'call', at: 9, poll: false, cause: 'confirm' }]);
  });
});

test('tables of values keep each value by its key, in the order in which the keys came', () => {
  const { start } = storageRuns();
  const { logins } = start();
  for (const key of ['b', 'a', 'c']) expect(logins.write(key, { key })).toBe(true);
  logins.write('b', { changed: true });
  logins.write('c', undefined);
  expect([...start().logins.read()]).toEqual([
    ['b', { changed: true }],
    ['a', { key: 'a' }],
  ]);
});
