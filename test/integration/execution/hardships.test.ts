import { describe, expect, onTestFinished, test } from 'vitest';
import { polled } from '../../support/system/outcome.ts';
import { type BridgeSystem, SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startVirtualSystem, type VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const system = async (options: VirtualTestOptions = {}): Promise<BridgeSystem> => {
  const started = await startVirtualSystem(options);
  onTestFinished(() => started.close());
  await started.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
  return started;
};

const terminal = ({ recorder }: BridgeSystem, id: string) =>
  recorder.until(
    ({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes(`"id":"${id}"`) && !payload.includes('"accepted"'),
  );

const day = (start: string) => [{ start, end: '22:00', mode: 'normal' }];

describe('what goes wrong between two writes', () => {
  test('an answer that got lost: the next write waits, and sends nothing of the first one back', async () => {
    const here = await system({ simulator: { effectDelayMs: 150 } });
    const { recorder, simulator } = here;
    simulator.control({ command: 'fault', kind: 'timeout504', match: { path: '/commands/' }, times: 1, execute: true });
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { mon: day('07:00') }, id: 'first' }));
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { tue: day('08:00') }, id: 'second' }));
    expect(JSON.parse((await terminal(here, 'first')).payload)).toMatchObject({ status: 'applied' });
    expect(JSON.parse((await terminal(here, 'second')).payload)).toMatchObject({ status: 'applied', changed: ['tue'] });
    const [, second] = here.posts();
    expect(JSON.parse(second?.body ?? '{}').newSchedule.mon).toEqual([{ ...day('07:00')[0], position: 0 }]);
  });

  test('a command whose effect nobody can predict: what was known before it counts no longer', async () => {
    const here = await system({ overrides: { commands: { confirm_s: [5] } } });
    const { recorder } = here;
    const before = recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '';
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { mon: day('07:00') }, id: 'own' }));
    await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('accepted'));
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await terminal(here, 'own');
    await recorder.publish(`${SCHEDULE_TOPIC}/call/resetSchedule`, JSON.stringify({ value: {}, id: 'reset' }));
    await terminal(here, 'reset');
    const reads = here.reads();
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: JSON.parse(before), id: 'again' }));
    expect(JSON.parse((await terminal(here, 'again')).payload)).toMatchObject({ status: 'unchanged' });
    expect(here.reads()).toBe(reads + 1);
  });

  test('a stop before the confirmation leaves the accepted week on its topic', async () => {
    const here = await system({ simulator: { effectDelayMs: 60_000 }, overrides: { commands: { confirm_s: [30] } } });
    const { recorder } = here;
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: { mon: [] }, id: 'late' }));
    await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('accepted'));
    await here.stopApp();
    expect(JSON.parse((await terminal(here, 'late')).payload)).toMatchObject({ status: 'unconfirmed', code: 'stopping' });
    const kept = await here.retained();
    expect(JSON.parse(kept.get(`${SCHEDULE_TOPIC}/entries`) ?? '{}').mon).toEqual([]);
  });
});

describe('what goes wrong between two runs', () => {
  test('a feature that vanished meanwhile is cleared after three complete reads', async () => {
    const here = await system({ device: { features: ['*'] }, overrides: { poll: { gone_after_h: 0, seconds: 3600, jitter: 0 } } });
    const topic = 'heating2mqtt/home/heating/scop/total/value';
    await here.recorder.untilTopic(topic);
    await here.stopApp();
    here.simulator.control({ command: 'remove_feature', feature: 'heating.scop.total' });
    const from = here.recorder.heard.length;
    await here.restart();
    // Health comes when the bridge has subscribed and everything is out.
    await here.recorder.untilTopic('heating2mqtt/bridge/health', undefined, from);
    for (let polls = 0; polls < 3; polls += 1) {
      await polled(here);
    }
    await here.recorder.untilTopic(topic, '', from);
    expect((await here.retained()).has(topic)).toBe(false);
  });

  test('a feature that the platform does not have holds up no new one in the document', async () => {
    const device = { features: [SCHEDULE, 'heating.nonsense'] };
    const here = await system({ device });
    const isDocument = (topic: string): boolean => topic.startsWith('homeassistant/device/heating2mqtt_7');
    await here.recorder.until(({ topic }) => isDocument(topic));
    const [settings] = here.settings.devices;
    await here.restart({ devices: settings ? [{ ...settings, features: [...device.features, 'heating.scop.total'] }] : [] });
    await here.recorder.until(({ topic, payload }) => isDocument(topic) && payload.includes('scop'));
  });
});
