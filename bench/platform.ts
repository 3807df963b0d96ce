import { createServer } from 'node:http';

/** A platform that does nothing but answer: one device of `FEATURES` features whose values all change with every read. Run as a child process. */
const FEATURES = Number(process.env['FEATURES'] ?? 300);
let round = 0;

const record = (i: number): object => ({
  feature: `heating.bench.${i}`,
  gatewayId: 'bench',
  deviceId: '0',
  apiVersion: 1,
  isEnabled: true,
  isReady: true,
  timestamp: '2026-01-01T00:00:00.000Z',
  uri: `/v1/features/heating.bench.${i}`,
  properties: {
    value: { type: 'number', unit: 'celsius', value: 20 + i / 10 + round / 1000 },
    status: { type: 'string', value: 'connected' },
  },
  commands: {},
});

const day = [{ start: '06:00', end: '22:00', mode: 'normal', position: 0 }];
let week: unknown = { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day };
const schedule = (): object => ({
  feature: 'heating.circuits.0.heating.schedule',
  gatewayId: 'bench',
  deviceId: '0',
  apiVersion: 1,
  isEnabled: true,
  isReady: true,
  timestamp: '2026-01-01T00:00:00.000Z',
  uri: '/v1/features/heating.circuits.0.heating.schedule',
  properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value: week } },
  commands: {
    setSchedule: {
      name: 'setSchedule',
      isExecutable: true,
      uri: '',
      params: {
        newSchedule: {
          type: 'Schedule',
          required: true,
          constraints: { maxEntries: 4, resolution: 10, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false },
        },
      },
    },
  },
});

const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  if (request.method === 'POST') {
    process.send?.({ posted: process.hrtime.bigint().toString() });
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      week = JSON.parse(text).newSchedule;
      response.end('{"data":{"success":true,"message":null,"reason":null}}');
    });
    return;
  }
  process.send?.({ got: process.hrtime.bigint().toString() });
  round += 1;
  const all = request.url?.endsWith('/features');
  response.end(JSON.stringify(all ? { data: [...Array.from({ length: FEATURES }, (_, i) => record(i)), schedule()] } : schedule()));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
