import { expect, test } from 'vitest';
import { type Device, DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import { zoneFor } from '../../../../src/bridge/state/timeZones.ts';
import { featureOf } from '../../../support/devices/features.ts';

const device = (gateway: string, id: string, installation = '1'): Device => ({
  name: `${gateway}-${id}`,
  installation,
  gateway,
  device: id,
  features: ['*'],
  exclude: [],
});

/** A device that tells a zone. */
const telling = (at: Device, zone: string): DeviceState => {
  const state = new DeviceState(at);
  state.take(featureOf('device.timezone', { value: { type: 'string', value: zone } }), 0);
  return state;
};

const own = device('g1', '0');
const sources = { setting: 'auto', machine: 'UTC', installation: (id: string) => (id === '1' ? 'Europe/Paris' : undefined) };

test.each<[string, Device, DeviceState[], Partial<typeof sources>, string, string]>([
  ['the setting', own, [telling(own, 'Europe/Berlin')], { setting: 'Asia/Tokyo' }, 'Asia/Tokyo', 'setting'],
  ["the device's own", own, [telling(device('g1', '1'), 'Europe/Rome'), telling(own, 'Europe/Berlin')], {}, 'Europe/Berlin', 'platform'],
  [
    'that of a device on the same gateway',
    own,
    [new DeviceState(own), telling(device('g2', '0'), 'Europe/Rome'), telling(device('g1', 'gateway'), 'Europe/Berlin')],
    {},
    'Europe/Berlin',
    'platform',
  ],
  ['that of another gateway in the same installation', own, [telling(device('g2', '0'), 'Europe/Rome')], {}, 'Europe/Rome', 'platform'],
  ["the installation's", own, [telling(device('g2', '0', '2'), 'Europe/Rome')], {}, 'Europe/Paris', 'platform'],
  ["the installation's where a device tells nonsense", own, [telling(own, 'Middle-earth/Shire')], {}, 'Europe/Paris', 'platform'],
  ["the machine's", device('g1', '0', '2'), [telling(own, 'Europe/Berlin')], {}, 'UTC', 'machine'],
])('a schedule is lived by %s', (_, of, states, more, name, from) => {
  expect(zoneFor(of, states, { ...sources, ...more })).toEqual({ name, from });
});
