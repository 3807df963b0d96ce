import { expect, test } from 'vitest';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startWebSystem } from '../../support/web/webSystem.ts';

/** The samples of the text format, with every line checked. */
const read = (text: string): ReadonlyMap<string, number> => {
  const samples = new Map<string, number>();
  let family = '';
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.trimEnd().split('\n')) {
    const [, name] = /^# (?:HELP|TYPE) (heating2mqtt_\w+) /.exec(line) ?? [];
    if (name !== undefined) family = name;
    else {
      const [, sample = '', value = ''] = /^([a-z0-9_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
      expect(sample, line).toMatch(new RegExp(`^${family}(?:\\{|$)`));
      samples.set(sample, Number(value));
    }
  }
  return samples;
};

test('the metrics are those of the bridge, in the format of Prometheus', async () => {
  const { system, client } = await startWebSystem();
  await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/validate`, payload: 'mon none' });
  await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/validate`, payload: 'nonsense' });
  const { text, headers } = await client.get('/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = read(text);
  expect(Object.fromEntries(samples)).toMatchObject({
    'heating2mqtt_info{version="0.1.0"}': 1,
    heating2mqtt_broker_connected: 1,
    heating2mqtt_platform_reachable: 1,
    'heating2mqtt_auth_state{state="ok"}': 1,
    'heating2mqtt_auth_state{state="login_needed"}': 0,
    'heating2mqtt_quota_used_calls{window="24h"}': system.reads(),
    heating2mqtt_read_failures_total: 0,
    'heating2mqtt_answers_total{status="valid"}': 1,
    'heating2mqtt_answers_total{status="rejected"}': 1,
    heating2mqtt_poll_interval_seconds: 3600,
  });
  expect(samples.get('heating2mqtt_memory_bytes')).toBeGreaterThan(1e7);
  expect(samples.get('heating2mqtt_last_success_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60);
  await system.stopApp();
  expect(read((await client.get('/metrics')).text).get('heating2mqtt_broker_connected')).toBe(0);
});
