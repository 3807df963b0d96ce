import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseInstallations } from '../../../src/features/equipment.ts';
import { deviceOfRecord } from '../../../src/features/parseFeature.ts';

const device = { id: '0', modelId: 'M', deviceType: 'heating', roles: ['type:boiler'], status: 'Online' };
const one = { installation: '7', gateway: 's', device: '0', model: 'M', type: 'heating', roles: ['type:boiler'] };
const described = (description: unknown) => ({ data: [{ id: 7, description, gateways: [{ serial: 's', devices: [device] }] }] });
const inZone = (timeZone: string) => ({
  data: [{ id: 7, address: { geolocation: { timeZone } }, gateways: [{ serial: 's', devices: [device] }] }],
});
const page = (...gateways: readonly unknown[]) => ({ data: [{ id: 7, gateways }] });

it.each<[string, readonly unknown[], unknown]>([
  ['a device', [page({ serial: 's', devices: [device] })], { devices: [one], complete: true }],
  [
    'the same on two pages',
    [page({ serial: 's', devices: [device] }), page({ serial: 's', devices: [device] })],
    { devices: [one], complete: true },
  ],
  ['a gateway of type Lancard', [page({ serial: 's', gatewayType: 'Lancard', devices: [device] })], { devices: [], complete: true }],
  ['the description of an installation', [described('Home')], { devices: [{ ...one, description: 'Home' }], complete: true }],
  ['a description that is no text', [described(7)], { devices: [one], complete: true }],
  ['the zone of an installation', [inZone('Europe/Berlin')], { devices: [{ ...one, timeZone: 'Europe/Berlin' }], complete: true }],
  ['a zone that nobody knows', [inZone('Middle-earth/Shire')], { devices: [one], complete: true }],
  ['no gateways', [{ data: [{ id: 7 }] }], { devices: [], complete: true }],
  ['no device', [{ data: [] }], { devices: [], complete: true }],
  ['a rotten device beside a good one', [page({ serial: 's', devices: [{}, device] })], { devices: [one], complete: false }],
  ['a rotten gateway', [page({ devices: [device] }, 5)], { devices: [], complete: false }],
  ['an id that is a step in a path', [page({ serial: 's', devices: [{ id: '..' }] })], { devices: [], complete: false }],
  ['no list', [{ data: {} }], undefined],
  ['one page that is none', [page({ serial: 's', devices: [device] }), 'x'], undefined],
])('reads %s', (_, pages, listing) => {
  expect(parseInstallations(pages)).toEqual(listing);
});

it('never throws', () => {
  fc.assert(fc.property(fc.array(fc.record({ data: fc.jsonValue() })), (pages) => void parseInstallations(pages)));
});

it.each([
  [{ deviceId: '0', uri: '/x/devices/1/features/a' }, '0'],
  [{ deviceId: 5 }, '5'],
  [{ uri: 'https://h/iot/v2/features/installations/1/gateways/g/devices/zigbee%2D1/features/a' }, 'zigbee-1'],
  [{ uri: '/v1/gateways/g/features/gateway.devices' }, 'gateway'],
  [{ uri: '/v1/gateways/g/devices/%/features/a' }, '%'],
  [{}, 'gateway'],
])('the device of %j is %s', (record, id) => {
  expect(deviceOfRecord(record)).toBe(id);
});
