import { describe, expect, test } from 'vitest';
import { readLog } from '../../../../src/bridge/polling/readLog.ts';
import type { ReadTarget } from '../../../../src/bridge/polling/readTarget.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

const read = (feature: string, device = '0', gateway = '1'): ReadTarget => {
  const place = { installation: '9', gateway, device };
  return { device: { ...place, name: `home ${device}`, features: [feature], exclude: [] }, target: { ...place, feature } };
};

const setUp = () => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  return {
    troubles: readLog(recordingLog(logged)),
    said: () => logged.splice(0).map(({ level, facts }) => `${level} ${JSON.stringify(facts)}`),
  };
};

const fail = (troubles: ReturnType<typeof readLog>, code: string, ...reads: readonly ReadTarget[]): void => {
  for (const each of reads) troubles.failed(each, code, 'why');
};

describe('a failing is told', () => {
  test('once when it begins and once when it ends', () => {
    const { troubles, said } = setUp();
    for (let n = 0; n < 5; n += 1) fail(troubles, 'not_found', read('a'));
    troubles.worked(read('a'));
    troubles.worked(read('a'));
    expect(said()).toEqual([
      'warn {"device":"home 0","feature":"a","code":"not_found","why":"why"}',
      'info {"device":"home 0","feature":"a"}',
    ]);
    fail(troubles, 'not_found', read('a'));
    expect(said()).toHaveLength(1);
  });

  test('for each feature where it is the feature’s', () => {
    const { troubles, said } = setUp();
    fail(troubles, 'not_found', read('a'), read('b'));
    expect(said()).toHaveLength(2);
    troubles.worked(read('b'));
    troubles.worked(read('a'));
    expect(said()).toHaveLength(2);
  });

  test.each(['unreachable', 'timeout', 'cut', 'server_error', 'identity_unavailable'])(
    'once for all where the platform is meant: %s',
    (code) => {
      const { troubles, said } = setUp();
      fail(troubles, code, read('a'), read('b'), read('c', '5', '2'), read('a'));
      expect(said()).toHaveLength(1);
      for (const each of [read('b'), read('a'), read('c', '5', '2')]) troubles.worked(each);
      expect(said()).toEqual(['info {"device":"home 0","feature":"b"}']);
    },
  );

  test('once for each device or gateway that is offline', () => {
    const { troubles, said } = setUp();
    fail(troubles, 'gateway_offline', read('a'), read('b', '5'), read('a', '0', '2'));
    expect(said()).toHaveLength(2);
    fail(troubles, 'device_offline', read('a'), read('b'), read('b', '5'));
    expect(said()).toHaveLength(2);
  });

  test('once for each face that it shows, in one outage', () => {
    const { troubles, said } = setUp();
    for (let n = 0; n < 4; n += 1) fail(troubles, n % 2 ? 'timeout' : 'cut', read('a'), read('b'));
    expect(said()).toHaveLength(2);
    troubles.worked(read('b'));
    troubles.worked(read('a'));
    expect(said()).toHaveLength(1);
    fail(troubles, 'cut', read('a'));
    expect(said()).toHaveLength(1);
  });

  test('not once more where another read works and this one goes on failing', () => {
    const { troubles, said } = setUp();
    fail(troubles, 'server_error', read('a'), read('b'));
    for (let n = 0; n < 3; n += 1) {
      troubles.worked(read('b'));
      fail(troubles, 'server_error', read('a'));
    }
    expect(said()).toHaveLength(2);
  });

  test('not at all at a stop, and for the login and the allowance elsewhere', () => {
    const { troubles, said } = setUp();
    fail(troubles, 'aborted', read('a'));
    troubles.worked(read('a'));
    expect(said()).toEqual([]);
    fail(troubles, 'rate_limited', read('a'), read('b'));
    fail(troubles, 'login_needed', read('a'));
    expect(said().map((line) => line.split(' ')[0])).toEqual(['debug', 'debug']);
  });
});
