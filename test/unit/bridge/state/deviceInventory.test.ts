import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseDevices,
  type DeviceInventory,
  keepInventory,
  mergeListing,
  readInventory,
  withImplied,
} from '../../../../src/bridge/state/deviceInventory.ts';
import type { FoundDevice } from '../../../../src/features/equipment.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';

const found = (device: string, more: Partial<FoundDevice> = {}): FoundDevice => ({
  installation: '1',
  gateway: 'g',
  device,
  roles: [],
  ...more,
});
const ids = ({ devices }: DeviceInventory): readonly string[] => devices.map(({ device }) => device);
const HOUR = 3_600_000;

/** The inventory after a restart: `before` was kept, then this one. */
const restarted = (inventory: DeviceInventory | undefined, before?: DeviceInventory): DeviceInventory | undefined => {
  const store = keyedStore();
  if (before) keepInventory(store, before);
  if (inventory) keepInventory(store, inventory);
  return readInventory(store);
};

const A = found('a');
const B = found('b');
const list = (...devices: readonly FoundDevice[]) => ({ devices, complete: true });

describe('a device that is no longer listed', () => {
  // Each list as its hour and the devices in it, `…` where it has holes.
  it.each([
    ['three lists over a day', '1:a 20:a 25:a', 'a'],
    ['three lists within a day', '1:a 2:a 24:a', 'ab'],
    ['two lists over a day', '1:a 49:a', 'ab'],
    ['it comes back between', '1:a 20:ab 25:a 30:a', 'ab'],
    ['empty lists', '1: 20: 49:', 'ab'],
    ['lists with holes', '1:a… 20:a… 49:a…', 'ab'],
    ['a clock set back', '9:a -90:a -65:a', 'a'],
  ])('%s', (_, steps, left) => {
    const roster = steps.split(' ').reduce(
      (before, step) => {
        const [hours = '', names = ''] = step.split(':');
        const devices = [A, B].filter(({ device }) => names.includes(device));
        return mergeListing(before, { devices, complete: !names.endsWith('…') }, Number(hours) * HOUR, 24 * HOUR);
      },
      mergeListing(undefined, list(A, B), 0, 24 * HOUR),
    );
    expect(ids(roster).join('')).toBe(left);
    expect(restarted(roster)).toEqual(roster);
  });
  it('is waited for in the same way where the roster was lost and only its topics are known', () => {
    const steps = [
      [0, list(A)],
      [5, list()],
      [20, { devices: [A], complete: false }],
      [23, list(A)],
      [23.5, list(A)],
      [24, list(A)],
    ] as const;
    let roster: DeviceInventory | undefined;
    const waited = steps.map(([hours, listing]) => {
      roster = restarted(mergeListing(roster, listing, hours * HOUR, 24 * HOUR, ['g/a', 'g/b']), roster);
      return Object.keys(roster?.unlisted ?? {});
    });
    expect(waited).toEqual([['g/b'], ['g/b'], ['g/b'], ['g/b'], ['g/b'], []]);
    expect(mergeListing(undefined, list(A, B), 0, 0, ['g/a', 'g/b'])).not.toHaveProperty('unlisted');
  });
  it('leaves the others where they were; new ones come behind', () => {
    const before = mergeListing(undefined, list(B, A), 0, 0);
    expect(ids(mergeListing(before, list(found('c'), A, B), 1, 0))).toEqual(['b', 'a', 'c']);
  });
});

const all = { features: ['*'], exclude: [] };

it.each<[string, Parameters<typeof chooseDevices>[1], readonly string[]]>([
  ['no choice: all', [], ['g-0', 'g-gateway', 'h-RoomControl-1']],
  ['by id', [{ ...all, device: '0', name: 'home' }], ['home']],
  ['by a glob over ids', [{ ...all, device: 'Room*', name: 'rooms' }], ['rooms']],
  ['by gateway', [{ ...all, gateway: 'g' }], ['g-0', 'g-gateway']],
  ['by installation', [{ ...all, installation: '2' }], ['h-RoomControl-1']],
  ['by role', [{ ...all, role: 'type:heat*' }], ['g-0']],
  ['by model', [{ ...all, model: 'E3_*' }], ['g-0']],
  [
    'the first that fits',
    [
      { ...all, device: '0', name: 'one' },
      { ...all, name: 'other' },
    ],
    ['one', 'other', 'h-RoomControl-1'],
  ],
  ['never called bridge', [{ ...all, device: '0', name: 'bridge' }], ['g-0']],
])('chooses %s', (_, choices, names) => {
  const devices = [
    found('0', { model: 'E3_Vitocal', roles: ['type:heatpump'] }),
    found('gateway', { roles: ['type:gateway'] }),
    found('RoomControl-1', { installation: '2', gateway: 'h' }),
  ];
  expect(chooseDevices(devices, choices).map(({ name }) => name)).toEqual(names);
});

it('never gives a name twice', () => {
  const word = fc.constantFrom('a', 'b', 'g-a', 'bridge');
  const device = fc.record({ installation: word, gateway: word, device: word, roles: fc.constant([]) });
  const choice = fc.record({ name: word, device: word }).map((one) => ({ ...all, ...one }));
  fc.assert(
    fc.property(fc.array(device), fc.array(choice), (devices, choices) => {
      const names = chooseDevices(devices, choices).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain('bridge');
    }),
  );
});

describe('a device that only a read has shown', () => {
  const before = mergeListing(undefined, list(A, B), 0, 24 * HOUR);
  const implied = withImplied(before, 'g', 'gateway');

  it('is known from then on, and over a restart', () => {
    expect(implied && ids(implied)).toEqual(['a', 'b', 'gateway']);
    expect(restarted(implied)).toEqual(implied);
    expect(chooseDevices(implied?.devices ?? [], []).at(-1)).toMatchObject({ name: 'g-gateway', installation: '1', device: 'gateway' });
  });

  it('is none where it is known already, or its gateway is not', () => {
    expect(implied && withImplied(implied, 'g', 'gateway')).toBeUndefined();
    expect(withImplied(before, 'g', 'a')).toBeUndefined();
    expect(withImplied(before, 'other', 'gateway')).toBeUndefined();
  });

  it('stays as long as another device of its gateway does, and is the listed one where a list names it', () => {
    const lists = (...steps: readonly (readonly FoundDevice[])[]) =>
      steps.reduce((roster, devices, i) => mergeListing(roster, list(...devices), (i + 1) * 25 * HOUR, 24 * HOUR), implied ?? before);
    expect(ids(lists([A], [A], [A]))).toEqual(['a', 'gateway']);
    const other = found('c', { gateway: 'h' });
    expect(ids(lists([other], [other], [other]))).toEqual(['c']);
    const listed = found('gateway', { type: 'vitoconnect' });
    expect(lists([A, B, listed]).devices.at(-1)).toEqual(listed);
  });
});
