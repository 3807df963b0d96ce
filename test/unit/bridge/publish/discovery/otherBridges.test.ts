import { expect, test } from 'vitest';
import { otherBridges } from '../../../../../src/bridge/publish/discovery/otherBridges.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';

const DEVICE = 'homeassistant/device/heating2mqtt_7_0/config';
const documentOf = (base: string): string =>
  JSON.stringify({ origin: { name: 'heating2mqtt' }, availability: [{ topic: `${base}/bridge/state` }] });

test.each<[what: string, retained: string | undefined, own: string | undefined, isOfOther: boolean]>([
  ['nothing', undefined, undefined, false],
  ['a document of ours', documentOf('b'), undefined, false],
  ['what we have published with another base before', documentOf('before'), documentOf('before'), false],
  ['a document of another program', '{"origin":{"name":"zigbee2mqtt"}}', undefined, false],
  ['a document of a bridge with another base', documentOf('other'), documentOf('b'), true],
])('where the broker holds %s', (_, retained, own, isOfOther) => {
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const others = otherBridges('b', async () => undefined, recordingLog(logged));
  if (retained !== undefined) others.shown(DEVICE, retained);
  for (const _time of [1, 2]) expect(others.haveDevice('document 7/0', DEVICE, own)).toBe(isOfOther);
  const told = { level: 'warn', facts: { device: '7/0', topic: DEVICE, other_base: 'other' } };
  expect(logged).toMatchObject(isOfOther ? [told] : []);
  others.published(DEVICE);
  expect(others.haveDevice('document 7/0', DEVICE, undefined)).toBe(false);
});
