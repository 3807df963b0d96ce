import { expect, it } from 'vitest';
import { faultsOf, sheetFaults, spanOf, staleOf } from '../../../src/page/faults/model.ts';

const DEVICES = [{ name: 'home' }];
const ACTIVE = { code: 'F.1', kind: 'fault', since: '2026-11-26T10:00:00.000Z', source: 'events' };
const shown = (faults: unknown, more: Readonly<Record<string, string>> = {}) =>
  faultsOf(
    new Map([['h/home/faults', typeof faults === 'string' ? faults : JSON.stringify(faults)], ...Object.entries(more)]),
    'h',
    DEVICES,
  );

it.each([
  ['nothing', { active: [] }, {}, [{ active: [], tells: true, isNow: true, readAt: undefined, runs: undefined }]],
  ['a heating that tells none', { active: [], tells: false, read_at: null }, {}, [{ tells: false, readAt: null }]],
  [
    'a fault, while a burner runs',
    { active: [ACTIVE] },
    { 'h/home/heating/burners/0/active': 'true' },
    [{ active: [{ code: 'F.1' }], runs: true }],
  ],
  [
    'a fault of a device that is offline',
    { active: [ACTIVE] },
    { 'h/home/heating/burners/0/active': 'true', 'h/home/availability': 'offline' },
    [{ active: [{ code: 'F.1' }], runs: undefined }],
  ],
  [
    'a fault of a device whose data are frozen',
    { active: [ACTIVE] },
    { 'h/home/heating/burners/0/active': 'true', 'h/home/problems': '{"stale":{"rule":"pulse","since":"x"}}' },
    [{ active: [{ code: 'F.1' }], runs: undefined }],
  ],
  ['a fault, while nothing runs', { active: [ACTIVE] }, { 'h/home/heating/compressors/0/active': 'false' }, [{ runs: false }]],
  ['a fault, where that is not known', { active: [ACTIVE, 7, { code: 1 }] }, {}, [{ active: [{ code: 'F.1' }], runs: undefined }]],
  ['nothing, as the events are refused', { active: [], read_at: null, failed: 'not_paid' }, {}, [{ readAt: null, isRefused: true }]],
  [
    'nothing, as the platform was not reached after a refusal',
    { active: [], read_at: null, failed: 'unreachable' },
    { 'h/home/info': '{"installation":"1"}', 'h/bridge/plan': '{"refused":[{"installation":"1"}]}' },
    [{ readAt: null, isRefused: false }],
  ],
  ['nothing, at a last read', { active: [], read_at: 'x' }, { 'h/home/availability': 'offline' }, [{ isNow: false, readAt: 'x' }]],
  [
    'a fault of a device whose own read is refused, but not that of its features or its gateway',
    { active: [ACTIVE] },
    { 'h/home/heating/burners/0/active': 'false', 'h/bridge/plan': '{"refused":[{"gateway":"g","device":"home"}]}' },
    [{ active: [{ code: 'F.1' }], isNow: true, runs: false }],
  ],
  ['no JSON', 'x', {}, []],
])('%s', (_, faults, more, expected) => expect(shown(faults, more)).toMatchObject(expected));

it.each([
  ['{}', []],
  ['no JSON', []],
  ['{"stale":{"message":"It stands.","since":"x"}}', []],
  ['{"stale":{"rule":"toString","since":"x"}}', []],
  ['{"stale":{"rule":"hours","since":"x"}}', [{ device: 'home', since: 'x', rule: 'hours', features: [], canRestart: false }]],
  [
    '{"stale":{"rule":"tellers","since":"x","features":["a",7],"can_restart":true}}',
    [{ device: 'home', since: 'x', rule: 'tellers', features: ['a'], canRestart: true }],
  ],
])('frozen data of %s', (problems, expected) => expect(staleOf(new Map([['h/home/problems', problems]]), 'h', DEVICES)).toEqual(expected));

it.each([
  [{ since: 1, until: 2 }, '1 – 2'],
  [{ since: 1 }, '1 – lasts'],
  [{ until: 2 }, '? – 2'],
  [{ since: 2, until: 2 }, '2'],
])('%j is written as %s', (span, text) => expect(spanOf({ code: 'F.1', kind: 'fault', ...span }, String, 'lasts')).toBe(text));

it('the sheet for the installer has what lasts first, however old, and leaves out states where there is no room', () => {
  const day = 86_400_000;
  const states = Array.from({ length: 40 }, (_, i) => ({ code: 'S.6', kind: 'status', since: 99 * day - i, until: 99 * day - i }));
  const lasts = { code: 'F.74', kind: 'fault', since: 10 * day };
  const lately = { code: 'A.11', kind: 'warning', since: 94 * day, until: 95 * day };
  const over = { code: 'F.5', kind: 'fault', since: 20 * day, until: 21 * day };
  const sheet = sheetFaults([...states, lately, over, lasts], 93 * day);
  expect(sheet.slice(0, 3).map(({ code }) => code)).toEqual(['F.74', 'A.11', 'S.6']);
  expect(sheet).toHaveLength(20);
});
