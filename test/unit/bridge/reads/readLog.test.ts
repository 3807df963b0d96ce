import { expect, test } from 'vitest';
import { readLog } from '../../../../src/bridge/reads/readLog.ts';
import type { ReadTarget } from '../../../../src/bridge/state/readTarget.ts';
import { type Story, storiesIn, tellBy } from '../../../support/story.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

/** `b@5@2`: the read of feature b of device 5 at gateway 2; without them of device 0 at gateway 1. */
const read = (text: string): ReadTarget => {
  const [feature = '', device = '0', gateway = '1'] = text.split('@');
  const place = { installation: '9', gateway, device };
  return { device: { ...place, name: `home ${device}`, features: [feature], exclude: [] }, target: { ...place, feature } };
};

const tellStory = (...parts: readonly string[]): Promise<void> => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const troubles = readLog(recordingLog(logged));
  return tellBy(
    {
      fail: ([code = '', ...reads]) => reads.map((one) => troubles.failed(read(one), code, 'why')),
      work: (reads) => reads.map((one) => troubles.worked(read(one))),
      // What was logged since the last look: how much, or word by word.
      lines: ([count]) => expect(logged.splice(0)).toHaveLength(Number(count)),
      levels: (rest) => expect(logged.splice(0).map(({ level }) => level)).toEqual(rest),
      said: (_, text) => expect(logged.splice(0).map(({ level, facts }) => `${level} ${JSON.stringify(facts)}`)).toEqual([text]),
    },
    parts,
  );
};

test.each<Story>([
  ...storiesIn(`
    once when it begins and once when it ends
      fail not_found a a a a a; said warn {"device":"home 0","feature":"a","code":"not_found","why":"why"}
      work a a; said info {"device":"home 0","feature":"a"}; fail not_found a; lines 1
    for each feature where it is the feature’s :: fail not_found a b; lines 2; work b a; lines 2
    once for each device or gateway that is offline :: fail gateway_offline a b@5 a@0@2; lines 2; fail device_offline a b b@5; lines 2
    once for each face that it shows, in one outage
      fail cut a b; fail timeout a b; fail cut a b; fail timeout a b; lines 2; work b a; lines 1; fail cut a; lines 1
    not once more where another read works and this one goes on failing
      fail server_error a b; work b; fail server_error a; work b; fail server_error a; work b; fail server_error a; lines 2
    not at all at a stop, and for the login and the allowance elsewhere
      fail aborted a; work a; lines 0; fail rate_limited a b; fail login_needed a; levels debug debug
  `),
  ...['unreachable', 'timeout', 'cut', 'server_error', 'identity_unavailable'].flatMap((code) =>
    storiesIn(`
      once for all where the platform is meant: ${code}
        fail ${code} a b c@5@2 a; lines 1; work b a c@5@2; said info {"device":"home 0","feature":"b"}`),
  ),
])('a failing is told %s', (_, ...story) => tellStory(...story));
