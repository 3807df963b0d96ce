import { describe, expect, test } from 'vitest';
import { type Answer, resultTopics } from '../../../src/topics/resultPayload.ts';

const BASE = 'heating2mqtt';

describe('where an answer goes', () => {
  test.each<[what: string, about: Pick<Answer, 'device' | 'feature'>, known: boolean, topics: readonly string[]]>([
    ['of a feature', { device: 'home', feature: 'a.b' }, true, [`${BASE}/home/a/b/result`, `${BASE}/home/result`]],
    ['of a device', { device: 'home' }, true, [`${BASE}/home/result`]],
    ['of a device with an odd name', { device: 'a b', feature: 'c' }, true, [`${BASE}/a%20b/c/result`, `${BASE}/a%20b/result`]],
    ['of no device of ours', { device: 'cellar', feature: 'a' }, false, [`${BASE}/bridge/result`]],
    ['of the bridge', {}, false, [`${BASE}/bridge/result`]],
    ['of nobody, though known', {}, true, [`${BASE}/bridge/result`]],
  ])('%s', (_, about, known, topics) => expect(resultTopics(BASE, about, known)).toEqual(topics));
});
