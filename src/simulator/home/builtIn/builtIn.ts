import { number } from './describe.ts';
import { heatPump } from './heatPump.ts';
import { roomControl } from './roomControl.ts';

const GATEWAY = { model: 'Demo_Gateway', type: 'vitoconnect', roles: ['type:gateway;VitoconnectOpto2/OT2', 'type:gatewayConfiguration'] };

/** An entry in a gateway's device list. */
const listed = (id: string, fingerprint: string, { model, type, roles }: typeof GATEWAY, modelVersion: string, name = model) => ({
  id,
  fingerprint,
  modelId: model,
  modelVersion,
  name,
  type,
  roles,
  status: 'online',
});

/** The built-in home: two circuits, hot water, ventilation, two rooms, a gateway. All values are invented. */
export const builtIn = {
  installation: 111222,
  gateway: '7571381699991111',
  lives: true,
  user: {
    id: '11112222-3333-4444-5555-666677778888',
    schemas: ['identity'],
    meta: { version: 7, lastModified: '2026-03-02T09:15:00+0100' },
    properties: {
      loginId: 'anna.example@example.org',
      address: { postalCode: '12345', city: 'Musterstadt', street: 'Musterweg', houseNumber: '7a', countryCode: 'de' },
      clientExtId: '900000001',
      languageCode: 'de',
      userState: 'ACTIVE',
      name: { firstName: 'Anna', familyName: 'Example' },
      validity: { from: '2021-08-30T10:07:36+0200' },
      contacts: { telephone: '+49 000 1234567', telefax: '', email: 'anna.example@example.org' },
    },
  },
  devices: { '0': heatPump, 'RoomControl-1': roomControl },
  gatewayDevice: GATEWAY,
  gatewayFeatures: {
    'gateway.devices': {
      properties: {
        devices: {
          type: 'DeviceList',
          value: [
            listed('gateway', 'gw:demo,mj:1,mi:4,p:2', GATEWAY, 'aGVhdGluZzJtcXR0LWdhdGV3YXk'),
            listed('0', 'hp:demo,si:8,p:1', heatPump, 'aGVhdGluZzJtcXR0LWhlYXRwdW1w', 'Demo_HeatPump'),
            listed('RoomControl-1', 'src:demo,mj:1,p:3', roomControl, 'aGVhdGluZzJtcXR0LXJvb21z'),
          ],
        },
      },
    },
    'gateway.wifi': { properties: { strength: number(-61) } },
  },
};
