import { describe, expect, it } from 'vitest';
import { BRIDGE_IDENTIFIER, bridgeIdentifier, bridgeObjectId, componentKey, identifier, objectId } from '../../../src/homeassistant/ids.ts';
import { expectTable } from '../../support/golden.ts';

/** Every text of up to `length` letters. */
const texts = (letters: string, length: number): string[] =>
  length === 0 ? [''] : ['', ...texts(letters, length - 1).flatMap((text) => [...letters].map((letter) => text + letter))].filter(unique);
const unique = <T>(value: T, i: number, all: readonly T[]): boolean => all.indexOf(value) === i;
const pairs = (first: readonly string[], second: readonly string[]): [string, string][] =>
  first.flatMap((a) => second.map((b): [string, string] => [a, b]));

describe('the ids that hubs remember', () => {
  it('the key of a component follows from feature and property', () => expectTable('componentKeys', 6, componentKey));

  it('the ids of a device follow from gateway and device', () =>
    expectTable('deviceIds', 4, (gateway: string, device: string) => [objectId(gateway, device), identifier(gateway, device)]));

  it('no two properties share a key, and a key has only a-z, 0-9 and _', () => {
    const names = pairs(texts('aA_.0#', 3), texts('aA_.', 2));
    const keys = names.map(([feature, property]) => componentKey(feature, property));
    expect(new Set(keys).size).toBe(names.length);
    expect(keys.filter((key) => !/^[a-z0-9_]+$/.test(key))).toEqual([]);
  });

  it('no two devices share an object id', () => {
    const names = pairs(texts('aA_-0#', 3), texts('aA_0#', 3));
    const ids = names.map(([gateway, device]) => objectId(gateway, device));
    expect(new Set(ids).size).toBe(names.length);
    expect(ids.filter((id) => !/^[A-Za-z0-9_-]+$/.test(id))).toEqual([]);
  });

  it('the ids of the bridge follow from its base', () =>
    expectTable('bridgeIds', 2, (base: string) => [bridgeObjectId(base), bridgeIdentifier(base)]));

  it('no two bridges share an id, and none has one of a device', () => {
    const bases = [...texts('aA_-0/', 3).slice(1), 'base', 'heating2mqtt', 'bridge'];
    const parts = ['bridge', 'base', 'bridge_base', 'base_a', 'a', '', 'ge'];
    const objects = [...bases.map(bridgeObjectId), ...pairs(parts, parts).map(([gateway, device]) => objectId(gateway, device))];
    const ids = [...bases.map(bridgeIdentifier), ...pairs(parts, parts).map(([gateway, device]) => identifier(gateway, device))];
    expect(new Set(objects).size).toBe(objects.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z0-9]+$/.test(id))).toEqual([]);
  });

  it('no two devices share an identifier, and none is called like the bridge', () => {
    const names = [...pairs(texts('adx0D#', 3), texts('adx0#', 3)), ['bri', 'ge'] as const, ['', 'bridge'] as const];
    const ids = names.map(([gateway, device]) => identifier(gateway, device));
    expect(new Set([...ids, BRIDGE_IDENTIFIER]).size).toBe(names.length + 1);
    expect(ids.filter((id) => !/^[a-z0-9]+$/.test(id))).toEqual([]);
  });
});
