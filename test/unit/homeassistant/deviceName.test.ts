import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Described, deviceName, distinctionsOf, distinguished, type Peer, productIn } from '../../../src/language/names/deviceName.ts';
import { anyText } from '../../support/anyText.ts';
import { runs } from '../../support/chance.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';
import { expectTable } from '../../support/golden.ts';

const NOTHING: Described = { device: '0', features: [] };
const names = (described: Partial<Described>): readonly string[] =>
  (['en', 'de'] as const).map((language) => deviceName({ ...NOTHING, ...described }, language));

describe('a product as it is sold', () => {
  it('is found in what a device says of itself', () => expectTable('products', 15, productIn));
});

describe('a device without a name of its own', () => {
  it('is called by what is known of it', () => expectTable('deviceNames', 16, names));

  it('has one, whatever it is', () => {
    const text = fc.option(anyText(), { nil: undefined });
    const any = fc.record({ device: fc.string(), model: text, type: text, roles: fc.array(fc.string()), given: text, variant: text });
    fc.assert(
      fc.property(any, (described) => {
        for (const name of names(described)) expect(name).toMatch(/^\S/u);
      }),
      { numRuns: runs(200) },
    );
  });

  const KINDS =
    'Battery storage|Boiler|Climate sensor|Device|Floor thermostat|Fuel cell|Gas boiler|Gateway|Heat pump|Heating|Photovoltaics';
  const OTHERS = 'Radiator thermostat|Room control|Ventilation unit';

  it('is called by what it does, of every device, where nothing tells the model', () => {
    for (const { device, features } of allDevices()) {
      const [name] = names({ device, features: features.map((feature) => feature.name) });
      expect(`${KINDS}|${OTHERS}`.split('|')).toContain(name);
    }
  });
});

const called = (peers: readonly Peer[]): readonly string[] => {
  const distinctions = distinctionsOf(peers);
  return peers.map(({ key, base }) => distinguished(base, distinctions.get(key) ?? 'missing'));
};

describe('devices that are called the same', () => {
  it('are told apart', () => expectTable('distinguished', 7, (_: string, peers: readonly Peer[]) => called(peers)));

  it('are all called otherwise, and as before when more come', () => {
    const some = fc.uniqueArray(fc.record({ key: fc.string(), description: fc.constantFrom('', 'Home', 'Away', '2') }), {
      minLength: 2,
      maxLength: 8,
      selector: ({ key }) => key,
    });
    fc.assert(
      fc.property(some, fc.nat(), (all, n) => {
        const first = all.slice(0, 1 + (n % (all.length - 1)));
        const before = distinctionsOf(first.map((one) => ({ ...one, base: 'x', kept: undefined })));
        const later = [...all].reverse().map((one) => ({ ...one, base: 'X', kept: before.get(one.key) }));
        const after = distinctionsOf(later);
        expect(new Set(later.map(({ key, base }) => distinguished(base, after.get(key) ?? 'missing'))).size).toBe(all.length);
        for (const [key, distinction] of before) expect(after.get(key)).toBe(distinction);
      }),
      { numRuns: runs(200) },
    );
  });
});
