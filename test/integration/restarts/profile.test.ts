import { expect, test } from 'vitest';
import { started } from '../../support/schedules/writing.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const PROFILE = `${SCHEDULE_TOPIC}/profile`;
const OTHER = ['other', 'daily none'] as const;

test('a week that is kept as a profile is told once more after the document that has its name, as hubs drop it before', async () => {
  const { recorder, restart } = await started({ overrides: { schedules: { profiles: [OTHER] } } });
  const lists = (name: string) => (heard: { readonly topic: string; readonly payload: string }) =>
    heard.topic.endsWith('/config') && heard.payload.includes(`"options":["other",${name}`);
  await recorder.untilTopic(PROFILE, 'custom');
  await recorder.until(lists('"Custom"'));
  const week = recorder.last(`${SCHEDULE_TOPIC}/text`) ?? '';
  const from = recorder.heard.length;
  await restart({ schedules: { profiles: [OTHER, ['mine', week]] } });
  const document = await recorder.until(lists('"mine"'), from);
  const { payload } = await recorder.untilTopic(PROFILE, undefined, recorder.heard.indexOf(document));
  expect(payload).toBe('mine');
});
