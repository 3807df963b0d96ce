import { expect, test } from 'vitest';
import { devicesOf } from '../../../src/page/model/device.ts';
import { titlesOf } from '../../../src/page/overview/deviceTitles.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

test('a device has its name of the settings, else its product or what it is, and a number where another is called the same', () => {
  const topics = new Map<string, string>();
  const add = (name: string, info: Readonly<Record<string, unknown>>, fixture: string): void => {
    for (const [topic, payload] of retainedOf(name, fixtureDevice(fixture))) topics.set(topic, payload);
    topics.set(`heating2mqtt/${name}/info`, JSON.stringify({ gateway: 'G', ...info }));
  };
  add('cellar', { device: '0', model: 'E3_Vitocal_250A' }, 'oldController');
  add('G-1', { device: '1', model: 'E3_Vitocal_250A' }, 'oldController');
  add('G-2', { device: '2', type: 'roomControl' }, 'rooms');
  add('G-3', { device: '3', roles: ['type:roomControl'] }, 'rooms');
  const titles = (language: 'en' | 'de') =>
    Object.fromEntries(titlesOf(topics, 'heating2mqtt', devicesOf(topics, 'heating2mqtt'), language));
  expect(titles('en')).toEqual({ cellar: 'cellar', 'G-1': 'Vitocal 250A', 'G-2': 'Room control', 'G-3': 'Room control 2' });
  expect(titles('de')).toMatchObject({ 'G-2': 'Raumregelung', 'G-3': 'Raumregelung 2' });
});
