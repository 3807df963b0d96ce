import { describe, expect, it, test } from 'vitest';
import { bridgeDocument, deviceDocuments } from '../../../src/homeassistant/document.ts';
import {
  baseOfDocument,
  componentsOf,
  documentHead,
  documentObject,
  documentsOf,
  mainDocumentTopic,
  withComponents,
  withMoreComponents,
} from '../../../src/homeassistant/documents/publishedDocument.ts';
import { ORIGIN } from '../../../src/homeassistant/ids.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { isOfPart } from '../../support/devices/isOfPart.ts';

const WHERE = { base: 'haus/heizung', prefix: 'haus/ha', version: '1' };
const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0' };
const OFFERING = { language: 'en', profiles: [], isAllowed: () => true } as const;
const [MAIN, ...PARTS] = deviceDocuments(WHERE, DEVICE, fixtureDevice('boiler'), OFFERING);
const BRIDGE = bridgeDocument(WHERE);
const ALL = [MAIN, ...PARTS, BRIDGE];
const MIGRATE = '{"migrate_discovery":true}';

describe('a published document', () => {
  it('is found again on a broker, also while its entities move, beside those of others', () => {
    const ours = new Map(ALL.map(({ topic, payload }, n) => [topic, n === 1 ? MIGRATE : payload] as const));
    const others = ALL.map(
      ({ topic, payload }) => [topic.replace('heating2mqtt_', 'heating2mqtt_2_'), payload.replaceAll('haus/heizung/', 'haus/')] as const,
    );
    const retained = new Map([...ours, ...others, ['haus/ha/device/heating2mqtt_2_0/config', MIGRATE], ['a/b/c/config', 'x']]);
    expect(documentsOf('haus/heizung', retained).sort()).toEqual([...ours.keys()].sort());
  });

  it('tells the base of its bridge', () => {
    for (const { payload } of ALL) expect(baseOfDocument(payload)).toBe('haus/heizung');
  });

  it('tells by its topic which device it is of', () => {
    expect(PARTS.length).toBeGreaterThan(1);
    for (const { topic } of PARTS) expect([isOfPart(topic), mainDocumentTopic(topic)]).toEqual([true, MAIN.topic]);
    for (const { topic } of [MAIN, BRIDGE]) expect([isOfPart(topic), mainDocumentTopic(topic)]).toEqual([false, topic]);
    expect(documentObject(MAIN.topic)).toBe('heating2mqtt_7571381699991111_0');
  });

  it('takes more components, and counts no tombstone as one', () => {
    const entries = [['answer', { platform: 'event' }] as const, ['more', { platform: 'sensor', unique_id: 'x' }] as const];
    const components = componentsOf(withMoreComponents(MAIN.payload, entries));
    expect([components.has('answer'), components.get('more'), components.size]).toEqual([
      false,
      { platform: 'sensor', unique_id: 'x' },
      componentsOf(MAIN.payload).size,
    ]);
  });
});

it.each(['homeassistant/status', 'config', 'device/x/config', 'a/b/c/d/e', ''])('%j is no discovery topic of a device', (topic) => {
  expect(documentObject(topic)).toBeUndefined();
});

test.each([
  ['bench/home1', true],
  ['home1', false],
  ['bench/home', false],
  ['bench/home1/more', false],
])('a document of the bridge bench/home1 may be of base %s: %s', (base, isOwn) => {
  const availability = [{ topic: 'bench/home1/bridge/state' }, { topic: 'bench/home1/device/availability' }];
  const head = JSON.stringify({ device: {}, origin: { name: ORIGIN }, availability, components: {} });
  const document = withComponents(head, [['a', { platform: 'sensor' }]]);
  expect(baseOfDocument(document) === base).toBe(isOwn);
  expect(documentHead(base, Buffer.from(document))).toBe(isOwn ? head : undefined);
  expect(documentHead(base, Buffer.from(MIGRATE))).toBe(MIGRATE);
});
