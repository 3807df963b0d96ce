import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseDevices,
  type DeviceInventory,
  keepInventory,
  mergeListing,
  readInventory,
  withImplied,
} from '../../../../src/bridge/devices/deviceInventory.ts';
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
  const lists = (...steps: readonly (readonly [hours: number, devices: readonly FoundDevice[], complete?: boolean])[]) =>
    steps.reduce<DeviceInventory | undefined>(
      (roster, [hours, devices, complete = true]) => mergeListing(roster, { devices, complete }, hours * HOUR, 24 * HOUR),
      mergeListing(undefined, list(A, B), 0, 24 * HOUR),
    );
  it.each<[string, readonly (readonly [number, readonly FoundDevice[], boolean?])[], readonly string[]]>([
    [
      'three lists over a day',
      [
        [1, [A]],
        [20, [A]],
        [25, [A]],
      ],
      ['a'],
    ],
    [
      'three lists within a day',
      [
        [1, [A]],
        [2, [A]],
        [24, [A]],
      ],
      ['a', 'b'],
    ],
    [
      'two lists over a day',
      [
        [1, [A]],
        [49, [A]],
      ],
      ['a', 'b'],
    ],
    [
      'it comes back between',
      [
        [1, [A]],
        [20, [A, B]],
        [25, [A]],
        [30, [A]],
      ],
      ['a', 'b'],
    ],
    [
      'empty lists',
      [
        [1, []],
        [20, []],
        [49, []],
      ],
      ['a', 'b'],
    ],
    [
      'lists with holes',
      [
        [1, [A], false],
        [20, [A], false],
        [49, [A], false],
      ],
      ['a', 'b'],
    ],
    [
      'a clock set back',
      [
        [9, [A]],
        [-90, [A]],
        [-65, [A]],
      ],
      ['a'],
    ],
  ])('%s', (_, steps, left) => {
    const roster = lists(...steps);
    expect(roster && ids(roster)).toEqual(left);
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
