import { describe, expect, it } from 'vitest';
import { bridgeDocument, deviceDocument } from '../../../src/homeassistant/document.ts';
import { asComponent, componentsOf, readDocumentTopic, singleDocuments } from '../../../src/homeassistant/documents/entityDocuments.ts';
import { baseOfDocument, documentsOf } from '../../../src/homeassistant/documents/ownDocuments.ts';
import { featureOf } from '../../support/devices/features.ts';

const WHERE = { base: 'haus/heizung', prefix: 'haus/ha', version: '1' };
const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0' };
const FEATURES = [
  featureOf('heating.sensors.temperature.outside', { value: { type: 'number', unit: 'celsius', value: 1 } }),
  featureOf('heating.circuits.0.heating.schedule', { active: { value: true } }),
];
const DOCUMENTS = [deviceDocument(WHERE, DEVICE, FEATURES), bridgeDocument(WHERE)];

describe.each(DOCUMENTS)('$topic as single documents', (document) => {
  const components = componentsOf(document.payload);
  const singles = singleDocuments(document);
  const { components: _, device, origin, ...shared } = JSON.parse(document.payload);

  it('has one for each component, with all that it had and what the device shared', () => {
    expect(singles.map(({ payload }) => JSON.parse(payload))).toEqual(
      [...components.values()].map(({ platform: __, ...component }) => ({ device, origin, ...shared, ...component })),
    );
    expect(singles.every(({ retain }) => retain)).toBe(true);
  });

  it('on topics that tell prefix, device, platform and key', () => {
    const object = readDocumentTopic(document.topic)?.object;
    expect(singles.map(({ topic }) => readDocumentTopic(topic))).toEqual(
      [...components].map(([key, { platform }]) => ({
        prefix: 'haus/ha',
        object,
        platform,
        key,
        device: document.topic,
        main: document.topic,
      })),
    );
    for (const { topic } of singles) expect(topic).toMatch(/^haus\/ha\/\w+\/[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/config$/);
  });

  it('and back', () => {
    for (const { topic, payload } of singles) {
      const place = readDocumentTopic(topic);
      expect(asComponent(place?.platform ?? '', payload)).toEqual({ ...shared, ...components.get(place?.key ?? '') });
    }
  });

  it('is found again on a broker, also half on its way to the other form, beside those of others', () => {
    const ours = new Map([
      ...singles.map(({ topic, payload }) => [topic, payload] as const),
      [document.topic, '{"migrate_discovery":true}'],
    ]);
    const other = singles.map(
      ({ topic, payload }) => [topic.replace('heating2mqtt_', 'heating2mqtt_2_'), payload.replaceAll('haus/heizung/', 'haus/')] as const,
    );
    const retained = new Map([
      ...ours,
      ...other,
      ['haus/ha/device/heating2mqtt_2_0/config', '{"migrate_discovery":true}'],
      ['a/b/c/config', 'x'],
    ]);
    expect(documentsOf('haus/heizung', retained).sort()).toEqual([...ours.keys()].sort());
  });

  it('tells whose they are, in both forms', () => {
    for (const { payload } of [document, ...singles]) {
      expect(baseOfDocument(payload)).toBe('haus/heizung');
    }
  });
});

it.each(['homeassistant/status', 'config', 'device/x/config', 'a/b/c/d/e', ''])('%j is no discovery topic', (topic) => {
  expect(readDocumentTopic(topic)).toBeUndefined();
});
