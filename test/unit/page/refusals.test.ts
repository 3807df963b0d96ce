import { expect, test } from 'vitest';
import { isRefusedBelow, refusalsOf } from '../../../src/page/model/refusals.ts';

const plan = (refused: unknown) => new Map([['base/bridge/plan', JSON.stringify({ refused, calls_per_day: 1450 })]]);
const command = { gateway: '1', device: 'home', feature: 'heating.circuits.1.schedule', command: 'setSchedule', since: 'x' };

test('what is refused is marked below its scope, on its device, where it is a command', () => {
  const all = refusalsOf(plan([command, { gateway: '1', device: 'home', feature: 'heating.dhw', since: 'x' }]), 'base');
  const marked = [
    ...[
      ['home', 'heating.circuits.1'],
      ['home', 'heating.circuits.1.schedule'],
      ['home', 'heating.circuits.10'],
    ],
    ...[
      ['other', 'heating.circuits.1'],
      ['home', 'heating.dhw'],
    ],
  ];
  expect(marked.map(([device = '', scope = '']) => isRefusedBelow(all, device, scope))).toEqual([true, true, false, false, false]);
});

test.each([undefined, 'none', [1, null, {}]])('a plan that holds %j refuses nothing', (refused) =>
  expect([refusalsOf(plan(refused), 'base'), refusalsOf(new Map(), 'base')]).toEqual([[], []]),
);
