import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { connect } from 'mqtt';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

/**
 * What a bridge cannot go below: a bare program with the packages of the bridge, bundled like it. It gets its task as JSON in `TASK`.
 * On `bench/floor` it carries one out; what it publishes at a start is in a file.
 */
type Task = {
  readonly broker: string;
  readonly platform: string;
  readonly gateways: readonly string[];
  /** A file with the messages to publish after the first read, as `[topic, payload]`. */
  readonly messages?: string;
};
type Sensor = { readonly feature: string; readonly properties: { readonly value: { readonly value: number } } };

const task: Task = JSON.parse(process.env['TASK'] ?? '{}');
const http = new Client(task.platform, { allowH2: false });
const headers = { authorization: 'Bearer a-token-for-benchmarks', accept: 'application/json' };
const pathOf = (gateway: string): string => `/iot/v1/equipment/installations/1/gateways/${gateway}/devices/0/features`;

const get = async (path: string) => {
  const { body } = await request.call(http, { method: 'GET', path, headers });
  return JSON.parse(await body.text()).data;
};
const read = (gateway: string): Promise<readonly Sensor[]> => get(pathOf(gateway));
const SCHEDULE = 'heating.circuits.0.heating.schedule';

const { hostname, port } = new URL(task.broker);
const mqtt = connect({ host: hostname, port: Number(port), protocolVersion: 5, reconnectPeriod: 0, writeCache: false });
const publish = (topic: string, payload: string): Promise<unknown> => mqtt.publishAsync(topic, payload, { qos: 1, retain: true });

/** Reads every gateway, and publishes the values of so many sensors. */
const readAndPublish = async (sensors: number): Promise<void> => {
  for (const gateway of task.gateways) {
    const records = await read(gateway);
    await Promise.all(
      records
        .slice(0, sensors)
        .map(({ feature, properties }) =>
          publish(`bench/${gateway}/${feature.replaceAll('.', '/')}/value`, String(properties.value.value)),
        ),
    );
  }
};

const post = async (feature: string, command: string, body: string): Promise<void> => {
  const path = `${pathOf(task.gateways[0] ?? '')}/${feature}/commands/${command}`;
  const answer = await request.call(http, { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body });
  await answer.body.text();
  await publish('bench/floor/result', 'done');
};

mqtt.on('connect', async () => {
  if (mqtt.stream instanceof Socket) mqtt.stream.setNoDelay(true);
  await mqtt.subscribeAsync('bench/floor/+', { qos: 1 });
  if (task.messages === undefined) {
    await publish('bench/bridge/state', 'online');
    return;
  }
  const messages: readonly (readonly [topic: string, payload: string])[] = JSON.parse(readFileSync(task.messages, 'utf8'));
  for (const gateway of task.gateways) await read(gateway);
  await Promise.all(messages.map(([topic, payload]) => publish(topic, payload)));
});

mqtt.on('message', async (topic, payload) => {
  const text = payload.toString();
  switch (topic) {
    case 'bench/floor/read':
      await readAndPublish(Number(text));
      return;
    case 'bench/floor/value':
      await post('heating.circuits.0.operating.programs.comfort', 'setTemperature', `{"targetTemperature":${text}}`);
      return;
    case 'bench/floor/day':
      await get(`${pathOf(task.gateways[0] ?? '')}/${SCHEDULE}`);
      await post(SCHEDULE, 'setSchedule', `{"newSchedule":${text}}`);
      return;
    case 'bench/floor/week':
      await post(SCHEDULE, 'setSchedule', `{"newSchedule":${text}}`);
  }
});
process.once('SIGTERM', () => process.exit(0));
