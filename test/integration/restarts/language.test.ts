import { expect, test } from 'vitest';
import { isRecord } from '../../../src/shared/json.ts';
import { started } from '../../support/schedules/writing.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startWebSystem } from '../../support/web/webSystem.ts';

type Sensors = ReadonlyMap<string, { readonly options: unknown; readonly topic: string }>;

/** The enum sensors of a document by unique id; undefined for what is no document of the heating. */
const enumsIn = (topic: string, payload: string): Sensors | undefined => {
  if (!/^homeassistant\/device\/heating2mqtt_7\w+\/config$/.test(topic)) return undefined;
  const { components } = JSON.parse(payload || '{}');
  const sensors = Object.values(isRecord(components) ? components : {}).flatMap((one) =>
    isRecord(one) && one['device_class'] === 'enum' ? [one] : [],
  );
  return new Map(sensors.map((one) => [String(one['unique_id']), { options: one['options'], topic: String(one['state_topic']) }]));
};

const isEmpty = ({ payload }: { readonly payload: string }): boolean => payload === '';

test('after a restart in another language documents follow in two steps, values between them, and nothing is removed', async () => {
  const system = await started();
  const { recorder } = system;
  const NOW = `${SCHEDULE_TOPIC}/overview`;
  await recorder.untilTopic(NOW);
  await recorder.until(({ topic, payload }) => [...(enumsIn(topic, payload)?.values() ?? [])].some((one) => one.topic === NOW));
  await system.stopApp();
  await recorder.caughtUp();
  const from = recorder.heard.length;
  await system.restart({ language: 'de' });
  const isFinal = (topic: string, payload: string): boolean =>
    [...(enumsIn(topic, payload)?.values() ?? [])].some((one) => one.topic === NOW && !JSON.stringify(one.options).includes('"Comfort"'));
  const last = await recorder.until(({ topic, payload }) => isFinal(topic, payload), from, 60_000);
  const news = recorder.heard.slice(from, recorder.heard.indexOf(last) + 1);
  const of = (language: string) => news.filter(({ topic, payload }) => topic === last.topic && payload.includes(language));
  const [between, ...others] = of('"Komfort"');
  expect(others).toHaveLength(1);
  const wide = [...(enumsIn(last.topic, between?.payload ?? '')?.values() ?? [])].find(({ topic }) => topic === NOW)?.options;
  const slim = [...(enumsIn(last.topic, last.payload)?.values() ?? [])].find(({ topic }) => topic === NOW)?.options;
  expect(wide).toEqual(expect.arrayContaining(['Komfort', 'Comfort']));
  expect(wide).toEqual(expect.arrayContaining([slim].flat()));
  const first = news.findIndex(({ payload }) => payload === between?.payload);
  expect(news.slice(first).map(({ topic }) => topic)).toContain(NOW);
  expect(news.filter((message) => isEmpty(message) && /\/config$|^heating2mqtt\/home\//.test(message.topic))).toEqual([]);
  // A tombstone is a component with its platform alone.
  expect(news.filter(({ payload }) => /\{"platform":"\w+"\}/.test(payload))).toEqual([]);
});

test('an English page is answered in English by a bridge that answers in German', async () => {
  const { system, client } = await startWebSystem({ overrides: { language: 'de' } });
  await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
  const answer = await client.post('/api/write', { topic: `${SCHEDULE_TOPIC}/set`, payload: 'mon 06:05-22:00 normal', id: 'page' });
  const said = await system.recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"page"'));
  expect(JSON.parse(said.payload)).toMatchObject({
    ...{ status: 'rejected', code: 'invalid', message: '06:05 liegt nicht im Raster von 10 Minuten.' },
    errors: [{ rule: 'resolution', message: '06:05 liegt nicht im Raster von 10 Minuten.', got: '06:05' }],
  });
  expect(answer.json()).toMatchObject({
    ...{ status: 'rejected', message: '06:05 is not on the 10-minute grid' },
    errors: [{ rule: 'resolution', message: '06:05 is not on the 10-minute grid' }],
  });
});
