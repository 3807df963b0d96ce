import { expect, test } from 'vitest';
import { refusalText } from '../../../src/language/answers/refusals.ts';
import { isDeviceRefused, isRefusedBelow, refusalsOf } from '../../../src/page/model/refusals.ts';

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

test('what is shown of a device is old where all of it is refused', () => {
  const all = refusalsOf(plan([command, { gateway: '1', device: 'rooms', since: 'x' }]), 'base');
  expect(['home', 'rooms', 'other'].map((device) => isDeviceRefused(all, device))).toEqual([false, true, false]);
});

test.each([undefined, 'none', [1, null, {}]])('a plan that holds %j refuses nothing', (refused) =>
  expect([refusalsOf(plan(refused), 'base'), refusalsOf(new Map(), 'base')]).toEqual([[], []]),
);

test.each([
  [{ installation: '1' }, 'Die Ereignisse der Anlage 1 (Störungen melden die Geräte selbst)'],
  [{ gateway: '2' }, 'Die Abfrage des ganzen Gateways 2 (seine Geräte werden einzeln abgefragt)'],
  [{ gateway: '2', command: 'reboot' }, 'Den Neustart des Gateways 2'],
  [{ gateway: '2', device: 'home' }, 'Alle Daten von home'],
  [{ gateway: '2', device: 'home', feature: 'heating.dhw' }, 'heating.dhw (home)'],
  [{ gateway: '2', device: 'home', feature: 'heating.dhw', command: 'set' }, 'heating.dhw set (home)'],
])('%j is refused in German', (place, text) => expect(refusalText(place, 'de')).toBe(text));
