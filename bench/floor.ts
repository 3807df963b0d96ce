import { fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'mqtt';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

/**
 * What a bridge cannot go below: a bare program with the packages of the bridge, bundled like it. It gets its task as JSON in `TASK`.
 * On `bench/floor` it is told what to do; what it publishes at a start is in a file.
 */
type Task = {
  readonly broker: string;
  readonly platform: string;
  readonly gateways: readonly string[];
  /** A folder for what has to be on disk before a POST. */
  readonly data: string;
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

/** So many messages without an acknowledgement the broker allows; then each acknowledgement lets the next one go, the fastest that it takes. */
let mostInFlight = 65_535;
let inFlight = 0;
const waiting: (() => void)[] = [];
const publish = (topic: string, payload: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const send = (): void => {
      inFlight += 1;
      mqtt.publish(topic, payload, { qos: 1, retain: true }, (cause) => {
        inFlight -= 1;
        waiting.shift()?.();
        if (cause) reject(cause);
        else resolve();
      });
    };
    if (inFlight < mostInFlight) send();
    else waiting.push(send);
  });

/** What the promise of the bridge needs before a POST: that it is asked for is on the disk. */
const journal = openSync(join(task.data, 'journal'), 'a');
const keep = (path: string, body: string): void => {
  writeSync(journal, `${path} ${body}\n`);
  fdatasyncSync(journal);
};

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
  keep(path, body);
  const answer = await request.call(http, { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body });
  await answer.body.text();
  await publish('bench/floor/result', 'done');
};

mqtt.on('connect', async ({ properties }) => {
  mostInFlight = properties?.receiveMaximum ?? mostInFlight;
  if (mqtt.stream instanceof Socket) mqtt.stream.setNoDelay(true);
  await mqtt.subscribeAsync('bench/floor/+', { qos: 1, nl: true });
  if (task.messages === undefined) {
    await publish('bench/floor/state', 'online');
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
