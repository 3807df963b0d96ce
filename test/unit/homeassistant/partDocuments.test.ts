import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceDocuments } from '../../../src/homeassistant/document.ts';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import { identifier, mainObjectId, objectId, partIdentifier, partObjectId } from '../../../src/homeassistant/ids.ts';
import type { Message } from '../../../src/shared/message.ts';
import { runs } from '../../support/chance.ts';
import { allDevices, fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { featureOf } from '../../support/devices/features.ts';
import { mutated } from '../../support/devices/mutatedDevices.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const OFFERING: Offering = { language: 'en', profiles: [], isAllowed: () => true };
const HOME = { name: 'home', installation: '1', gateway: '7571381699990001', device: '0' };

const DEVICES = allDevices();

type Component = {
  readonly platform: string;
  readonly unique_id: string;
  readonly default_entity_id: string;
  readonly name: string;
  readonly enabled_by_default?: boolean;
};

const deviceIn = ({ payload }: Message): { readonly identifiers: readonly string[]; readonly name: string; readonly via_device: string } =>
  JSON.parse(payload).device;
const componentsIn = ({ payload }: Message): readonly (readonly [string, Component])[] => Object.entries(JSON.parse(payload).components);
/** What hubs remember of each entity. */
const remembered = (documents: readonly Message[]): readonly string[] =>
  documents
    .flatMap(componentsIn)
    .map(([key, { platform, unique_id, default_entity_id }]) => `${key} ${platform} ${unique_id} ${default_entity_id}`)
    .sort();

const expectGood = (documents: readonly Message[]): void => {
  for (const document of documents) expect(lintDocument(document), document.topic).toEqual([]);
  const identifiers = documents.map((document) => deviceIn(document).identifiers[0]);
  expect(new Set(identifiers).size).toBe(documents.length);
  expect(new Set(documents.map(({ topic }) => topic)).size).toBe(documents.length);
  const [main, ...parts] = documents;
  for (const part of parts) expect(main && deviceIn(part).via_device).toBe(main && deviceIn(main).identifiers[0]);
};

describe.each(DEVICES)('parts of $name as devices', ({ features }) => {
  const documents = deviceDocuments(WHERE, HOME, features, OFFERING);

  it('have documents that no hub refuses, each below the heating', () => {
    expectGood(documents);
    expect(JSON.parse(documents[0].payload).components.answer).toBeDefined();
  });

  it('hold the same entities with the same ids as the one page', () => {
    expect(remembered(documents)).toEqual(remembered([deviceDocument(WHERE, HOME, features, OFFERING)]));
  });

  it('show something from the start', () => {
    for (const part of documents.slice(1)) expect(componentsIn(part).some(([, { enabled_by_default: on }]) => on !== false)).toBe(true);
  });

  it('are called as the device and the part', () => {
    for (const part of documents.slice(1)) expect(deviceIn(part).name).toMatch(/^home \S/);
    expect(new Set(documents.map((document) => deviceIn(document).name)).size).toBe(documents.length);
  });
});

describe('a device that is one part alone', () => {
  const valve = [featureOf('ventilation.levels', { level: { value: 1 } }), featureOf('device.serial', { value: { value: 'x' } })];

  const OFFERED = new Set([partObjectId(objectId(HOME.gateway, HOME.device), 'ventilation')]);

  it('stays one page', () => {
    expect(deviceDocuments(WHERE, HOME, valve, OFFERING)).toEqual([deviceDocument(WHERE, HOME, valve, OFFERING)]);
  });

  it('keeps what is a device already: what was split stays so', () => {
    const names = deviceDocuments(WHERE, HOME, valve, OFFERING, OFFERED).map((document) => deviceIn(document).name);
    expect(names).toEqual(['home', 'home Ventilation']);
  });
});

it('a circuit that people call as another part is called tells which one it is', () => {
  const supply = { value: { value: 20, unit: 'celsius' } };
  const features = [
    featureOf('heating.circuits.0', { name: { value: 'hot water' } }),
    featureOf('heating.circuits.0.sensors.temperature.supply', supply),
    featureOf('heating.circuits.1', { name: { value: 'Upstairs' } }),
    featureOf('heating.circuits.1.sensors.temperature.supply', supply),
    featureOf('heating.dhw.sensors.temperature.hotWaterStorage', supply),
  ];
  const names = deviceDocuments(WHERE, HOME, features, OFFERING).map((document) => deviceIn(document).name);
  expect(names).toEqual(['home', 'home hot water (Circuit 1)', 'home Upstairs', 'home Hot water']);
});

it('parts of a device that is not what it was have documents that no hub refuses, with the ids of the one page', () => {
  const all = [...fixtureDevice('boiler'), ...fixtureDevice('rooms')];
  fc.assert(
    fc.property(mutated(all), (features) => {
      const documents = deviceDocuments(WHERE, HOME, features, OFFERING);
      expectGood(documents);
      expect(remembered(documents)).toEqual(remembered([deviceDocument(WHERE, HOME, features)]));
    }),
    { numRuns: runs(50) },
  );
});

describe('ids of parts', () => {
  const id = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('0', 'part', 'bridge', 'base', 'd', 'a_part_b', '.', '_'));
  const place = fc.tuple(id, id, id);

  it('are plain, and never those of another device or part', () => {
    const kinds = [
      ([gateway, device, part]: readonly [string, string, string]) => partObjectId(objectId(gateway, device), part),
      ([gateway, device, part]: readonly [string, string, string]) => partIdentifier(identifier(gateway, device), part),
    ];
    fc.assert(
      fc.property(place, place, ([a, b, c], [d, e, f]) => {
        for (const make of kinds) expect(make([a, b, c]) === make([d, e, f])).toBe(a === d && b === e && c === f);
        expect(partObjectId(objectId(a, b), c)).not.toBe(objectId(d, e));
        expect(partObjectId(objectId(a, b), c)).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(partIdentifier(identifier(a, b), c)).not.toBe(identifier(d, e));
        expect(partIdentifier(identifier(a, b), c)).toMatch(/^[a-z0-9]+$/);
      }),
      { numRuns: runs(300) },
    );
  });

  it('tell the device', () => {
    fc.assert(
      fc.property(place, ([gateway, device, part]) => {
        const object = objectId(gateway, device);
        expect(mainObjectId(partObjectId(object, part))).toBe(object);
        expect(mainObjectId(object)).toBe(object);
      }),
      { numRuns: runs(300) },
    );
  });

  it('of the bridge are no part, whatever its base', () => {
    for (const object of ['heating2mqtt_bridge', 'heating2mqtt_bridge_base_part', 'heating2mqtt_bridge_base_x__95_part__95_y'])
      expect(mainObjectId(object)).toBe(object);
  });
});
