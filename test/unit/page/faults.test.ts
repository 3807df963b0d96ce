import { expect, it } from 'vitest';
import { faultsOf } from '../../../src/page/faults/model.ts';

const DEVICES = [{ name: 'home' }];
const ACTIVE = { code: 'F.1', kind: 'fault', since: '2026-11-26T10:00:00.000Z', source: 'events' };
const shown = (faults: unknown, more: Readonly<Record<string, string>> = {}) =>
  faultsOf(
    new Map([['h/home/faults', typeof faults === 'string' ? faults : JSON.stringify(faults)], ...Object.entries(more)]),
    'h',
    DEVICES,
  );

it.each([
  ['nothing', { active: [] }, {}, [{ active: [], tells: true, isUnread: false, runs: undefined }]],
  ['a heating that tells none', { active: [], tells: false, read_at: null }, {}, [{ tells: false, isUnread: true }]],
  [
    'a fault, while a burner runs',
    { active: [ACTIVE] },
    { 'h/home/heating/burners/0/active': 'true' },
    [{ active: [{ code: 'F.1' }], runs: true }],
  ],
  ['a fault, while nothing runs', { active: [ACTIVE] }, { 'h/home/heating/compressors/0/active': 'false' }, [{ runs: false }]],
  ['a fault, where that is not known', { active: [ACTIVE, 7, { code: 1 }] }, {}, [{ active: [{ code: 'F.1' }], runs: undefined }]],
  ['no JSON', 'x', {}, []],
])('%s', (_, faults, more, expected) => expect(shown(faults, more)).toMatchObject(expected));
