import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { barrier } from '../../support/schedules/writing.ts';
import { ALL, CANARY, CANARY_TOPIC, polled, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const start = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
  const system = await startTestSystem({ ...options, overrides: { platform: { timeout_s: 3 }, ...options.overrides } });
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

const warnings = ({ logged }: TestSystem) => logged.filter(({ level }) => level === 'warn' || level === 'error');
const nested = (depth: number, inner = '1'): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
const record = (feature: string, value: string, type = 'array'): string =>
  `{"feature":"${feature}","gatewayId":"7571381699991111","deviceId":"0","isEnabled":true,"isReady":true,"properties":{"value":{"type":"${type}","value":${value}}},"commands":{}}`;

const LARGE = 3_000_000;
const MUCH: readonly [what: string, fault: object, code: string][] = [
  ['9 MB', { kind: 'huge' }, 'too_large'],
  ['a byte a second', { slowMsPerByte: 1000 }, 'timeout'],
  ['half of it, and silence', { kind: 'hang' }, 'timeout'],
  ['half of it, and the end', { kind: 'cut_middle' }, 'cut'],
  ['the head, and the end', { kind: 'cut_headers' }, 'cut'],
  ['a page', { kind: 'html200' }, 'bad_answer'],
  ['JSON called a page', { body: { data: [] }, contentType: 'text/html; charset=utf-8' }, 'bad_answer'],
  ['3 MB of brackets', { body: `{"x":${nested(LARGE / 2)}}` }, 'bad_answer'],
  [
    '3 MB of brackets in an error',
    { status: 500, body: `{"errorType":"X","extendedPayload":{"details":${nested(LARGE / 2)}}}` },
    'server_error',
  ],
  ['3 MB of one text', { body: `"${'x'.repeat(LARGE)}"` }, 'bad_answer'],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, 'bad_answer'],
];

describe('an answer of', () => {
  test.each(MUCH)('%s is told once, takes its time and no more, and harms nothing that was there', async (_, fault, code) => {
    const system = await start();
    const from = system.recorder.heard.length;
    system.simulator.control({ command: 'fault', match: { path: '/features' }, ...fault });
    const failures = () => system.logged.filter(({ sentence }) => sentence === 'reading failed; the last values stay');
    await polled(system);
    await expect.poll(failures).toHaveLength(1);
    expect(failures()).toEqual([expect.objectContaining({ level: 'warn', facts: expect.objectContaining({ code }) })]);
    expect(String(Object.values(failures()[0]?.facts ?? {})).length).toBeLessThan(1000);
    await polled(system);
    await barrier(system);
    system.simulator.control({ command: 'clear' });
    system.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: 33.3 });
    await expect
      .poll(
        async () => {
          await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
          return system.recorder.last(CANARY_TOPIC);
        },
        { interval: 100 },
      )
      .toBe('33.3');
    expect(warnings(system)).toHaveLength(1);
    const cleared = system.recorder.heard
      .slice(from)
      .filter(({ topic, payload }) => topic.startsWith('heating2mqtt/home/') && payload === '');
    expect(cleared).toEqual([]);
  });

  test('3 MB that make sense is taken', async () => {
    const system = await start();
    const records = Array.from({ length: 3000 }, (_, index) => record(`heating.much.${index}`, `"${'y'.repeat(900)}"`, 'string'));
    system.simulator.control({ command: 'fault', match: { path: '/features' }, times: 1, body: `{"data":[${records.join(',')}]}` });
    await polled(system);
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/home/heating/much/2999/value', 0);
    expect(warnings(system)).toEqual([]);
  });

  test('values that contradict their types shows them as they are, and tells each once', async () => {
    const system = await start();
    const values: Readonly<Record<string, readonly [type: string, json: string, shown: string]>> = {
      'heating.odd.number': ['number', '"n/a"', 'n/a'],
      'heating.odd.boolean': ['boolean', '7', '7'],
      'heating.odd.array': ['array', '"none"', 'none'],
      'heating.odd.schedule': ['Schedule', '"daily 06:00-22:00"', 'daily 06:00-22:00'],
      'heating.odd.text': ['string', '{"a":1}', '{"a":1}'],
    };
    const records = Object.entries(values).map(([feature, [type, json]]) => record(feature, json, type));
    system.simulator.control({ command: 'fault', match: { path: '/features' }, body: `{"data":[${records.join(',')}]}` });
    await polled(system);
    for (const [feature, [, , shown]] of Object.entries(values))
      await system.recorder.untilTopic(`heating2mqtt/home/${feature.replaceAll('.', '/')}/value`, shown);
    await polled(system);
    await barrier(system);
    expect(warnings(system).map(({ facts, sentence }) => [Object.values(facts)[1], sentence])).toEqual(
      Object.keys(values).map((feature) => [feature, 'a value is not of the type that the platform declares for it; it is shown as it is']),
    );
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
    expect((await retainedOn(system.broker.url)).get('heating2mqtt/home/heating/odd/number/value')).toBe('n/a');
  });

  test('one record that is nested without end spoils itself only', async () => {
    const system = await start();
    const deep = [record('heating.deep', nested(50_000)), record(CANARY, '21.25', 'number')];
    system.simulator.control({ command: 'fault', match: { path: '/features' }, body: `{"data":[${deep.join(',')}]}` });
    await polled(system);
    await system.recorder.untilTopic(CANARY_TOPIC, '21.25');
    await polled(system);
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'go');
    await barrier(system);
    expect(system.recorder.heard.filter(({ topic }) => topic.includes('/heating/deep/'))).toEqual([]);
    expect(warnings(system).map(({ sentence }) => sentence)).toEqual(['a record makes no sense and is left out']);
    await system.restart();
  });
});

test('connections that are reset while they are kept cost one read each at most, and nothing is told', async () => {
  const system = await start();
  for (let reset = 0; reset < 5; reset += 1) {
    system.simulator.control({ command: 'fault', match: { path: '/features' }, times: 1, kind: 'cut_before' });
    system.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: reset + 0.5 });
    const from = system.recorder.heard.length;
    const reads = system.reads();
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.untilTopic(CANARY_TOPIC, String(reset + 0.5), from);
    expect(system.reads()).toBe(reads + 2);
  }
  expect(warnings(system)).toEqual([]);
});

describe('a redirect to another server', () => {
  const stranger = async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` };
  };

  test.each([301, 302, 303, 307, 308])(
    '(%i) is not followed: neither with a token nor with a command, nor with a refresh token',
    async (status) => {
      const { seen, url } = await stranger();
      const system = await start();
      system.simulator.control({ command: 'fault', status, headers: { location: url }, body: '' });
      await polled(system);
      await system.recorder.publish(
        'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve',
        '{"value":{"slope":1.1,"shift":3},"id":"r"}',
      );
      const answer = await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('"r"'));
      expect(JSON.parse(answer.payload)).toMatchObject({ status: 'failed' });
      system.simulator.control({ command: 'expire_tokens' });
      system.simulator.control({ command: 'clear' });
      system.simulator.control({ command: 'fault', status, headers: { location: url }, body: '', match: { path: '/token' } });
      await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/auth' && payload.includes('failing'));
      expect(seen).toEqual([]);
    },
  );
});

test.each([
  ['3 MB of brackets', `{"data":${nested(LARGE / 2)}}`],
  ['a million nothings', `{"data":[${'null,'.repeat(999_999)}null]}`],
  ['brackets in an error', { status: 500, body: `{"errorType":"X","extendedPayload":{"details":${nested(LARGE / 2)}}}` }],
])('a list of devices that is %s is told once, and the bridge goes on', async (_, answer) => {
  const fault = typeof answer === 'string' ? { body: answer } : answer;
  const system = await startTestSystem({
    overrides: { platform: { profile: 'v2', read: 'auto' }, choices: [] },
    prepare: (simulator) => void simulator.control({ command: 'fault', match: { path: '/equipment/installations' }, ...fault }),
  });
  onTestFinished(() => system.close());
  await expect.poll(() => warnings(system)).not.toEqual([]);
  await published(system);
  await barrier(system);
  expect(warnings(system).map(({ sentence }) => sentence)).toEqual(['the list of devices could not be read; those known stay']);
});
