import { createServer } from 'node:http';

/**
 * A platform that only answers, run as a child process: gateways with one device each, which have `FEATURES` sensors and a heating circuit.
 * `{change: n}` makes the first n sensors change with every read, any other message asks for the calls of the gateway that has most. It reports each request with the moment of `process.hrtime`, which all
 * processes share.
 */
const SENSORS = Number(process.env['FEATURES'] ?? 300);
const TIMESTAMP = '2026-01-01T00:00:00.000Z';
const DAY = [{ start: '06:00', end: '22:00', mode: 'normal', position: 0 }];

let changing = 0;
let round = 0;
let week: unknown = { mon: DAY, tue: DAY, wed: DAY, thu: DAY, fri: DAY, sat: DAY, sun: DAY };
let temperature: unknown = 20;

const record = (gateway: string, feature: string, properties: object, commands: object = {}): object => ({
  feature,
  gatewayId: gateway,
  deviceId: '0',
  apiVersion: 1,
  isEnabled: true,
  isReady: true,
  timestamp: TIMESTAMP,
  uri: `/v1/features/installations/1/gateways/${gateway}/devices/0/features/${feature}`,
  components: [],
  properties,
  commands,
});

const sensor = (gateway: string, i: number): object =>
  record(gateway, `heating.bench.sensors.${i}`, {
    value: { type: 'number', unit: 'celsius', value: 20 + i / 10 + (i < changing ? round / 1000 : 0) },
    status: { type: 'string', value: 'connected' },
  });

const SET_SCHEDULE = {
  name: 'setSchedule',
  isExecutable: true,
  uri: '/setSchedule',
  params: {
    newSchedule: {
      type: 'Schedule',
      required: true,
      constraints: { maxEntries: 4, resolution: 10, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false },
    },
  },
};

const SET_TEMPERATURE = {
  name: 'setTemperature',
  isExecutable: true,
  uri: '/setTemperature',
  params: { targetTemperature: { type: 'number', required: true, constraints: { min: 3, max: 37, stepping: 1 } } },
};

const written = (gateway: string): readonly object[] => [
  record(
    gateway,
    'heating.circuits.0.heating.schedule',
    { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value: week } },
    { setSchedule: SET_SCHEDULE },
  ),
  record(
    gateway,
    'heating.circuits.0.operating.programs.comfort',
    { active: { type: 'boolean', value: false }, temperature: { type: 'number', unit: 'celsius', value: temperature } },
    { setTemperature: SET_TEMPERATURE },
  ),
];

const bodyOf = (gateway: string): string =>
  JSON.stringify({ data: [...Array.from({ length: SENSORS }, (_, i) => sensor(gateway, i)), ...written(gateway)] });

/** Of each gateway so far. */
const calls = new Map<string, number>();

/** Bodies made ahead, so that no request waits for them. */
const bodies = new Map<string, string>();
const ready = (gateway: string): string => {
  const body = bodies.get(gateway) ?? bodyOf(gateway);
  bodies.set(gateway, body);
  return body;
};
const one = (gateway: string, feature: string): string =>
  JSON.stringify({ data: written(gateway).find((known) => 'feature' in known && known.feature === feature) });

const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  const [, gateway = ''] = /gateways\/([^/]+)/.exec(request.url ?? '') ?? [];
  calls.set(gateway, (calls.get(gateway) ?? 0) + 1);
  const moment = process.hrtime.bigint().toString();
  if (request.method === 'POST') {
    process.send?.({ posted: moment });
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const params = JSON.parse(text);
      week = params.newSchedule ?? week;
      temperature = params.targetTemperature ?? temperature;
      bodies.clear();
      response.end('{"data":{"success":true,"message":null,"reason":null}}');
    });
    return;
  }
  process.send?.({ got: moment });
  const [, feature] = /features\/([^/]+)$/.exec(request.url ?? '') ?? [];
  response.end(feature === undefined ? ready(gateway) : one(gateway, feature));
  if (changing === 0) return;
  round += 1;
  bodies.delete(gateway);
  setImmediate(ready, gateway);
});

process.on('message', ({ change }: { change?: number }) => {
  if (change === undefined) return process.send?.({ calls: Math.max(0, ...calls.values()) });
  changing = change;
  round += 1;
  bodies.clear();
  process.send?.({ changing });
});
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
