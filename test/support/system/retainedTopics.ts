import { connectAsync, type IClientOptions } from 'mqtt';
import { MARKS } from '../network/mqttRecorder.ts';

/** What others may keep below the base of a bridge that has a device `home` without a circuit 7; much of it looks like the bridge's own. */
export const FOREIGN_BELOW_BASE: Readonly<Record<string, string>> = {
  'heating2mqtt/other': 'x',
  'heating2mqtt/other/info': '21.5',
  'heating2mqtt/other/availability': 'online',
  'heating2mqtt/home/note': 'x',
  'heating2mqtt/home/heating/mine': 'x',
  'heating2mqtt/home/heating/circuits/0/heating/schedule/note': 'x',
  'heating2mqtt/home/heating/circuits/7/climate/mode': 'heat',
  'heating2mqtt/home/water_heater/target': '50',
  'heating2mqtt/garden/climate/mode': 'auto',
  'heating2mqtt/garden/heating/dhw/water_heater/target': '50',
  'heating2mqtt/garden/lamp/record': '{"feature":"lamp","properties":{"value":{"type":"number"}},"commands":{}}',
  'heating2mqtt/garden/lamp/value': '3',
};

let marks = 0;

/**
 * All that the broker keeps retained, read by a fresh client. Two marks tell that everything has come: Mosquitto sends what is retained
 * before anything published later, aedes sends it in the order in which it came, while later messages overtake it.
 */
export const retainedOn = async (url: string, options: IClientOptions = {}): Promise<Map<string, string>> => {
  const client = await connectAsync(url, { ...options, reconnectPeriod: 0 });
  const kept = new Map<string, string>();
  marks += 1;
  const mark = `${MARKS}retained/${process.pid}/${marks}`;
  const live = `${mark}/live`;
  const awaited = new Set([mark, live]);
  const done = new Promise<void>((resolve) => {
    client.on('message', (topic, payload, packet) => {
      awaited.delete(topic);
      if (packet.retain && topic !== mark) kept.set(topic, payload.toString());
      if (awaited.size === 0) resolve();
    });
  });
  await client.publishAsync(mark, 'mark', { qos: 1, retain: true });
  // With QoS 0 no broker's queue for unacknowledged messages can overflow.
  await client.subscribeAsync('#', { qos: 0 });
  await client.publishAsync(live, 'mark', { qos: 1 });
  await done;
  await client.publishAsync(mark, '', { qos: 1, retain: true });
  await client.endAsync();
  return kept;
};
