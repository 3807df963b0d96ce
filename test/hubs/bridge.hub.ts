import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { type Hub, startHub } from './home-assistant-hub.ts';

const MODE = 'sensor.home_floor_heating_schedule_now';
const MODES = ['normal', 'comfort', 'reduced'];
const WEEK = 'text.home_floor_heating_schedule_text';

/** The real bridge between the simulated platform and a real Home Assistant, over a real Mosquitto with MQTT 5. */
describe('the bridge in Home Assistant', () => {
  let hub: Hub;
  let system: TestSystem;
  const soon = { timeout: 20_000, interval: 200 };
  const state = async (id: string): Promise<string | undefined> => (await hub.states()).get(id)?.state;

  beforeAll(async () => {
    hub = await startHub();
    system = await startTestSystem({ brokerUrl: hub.mqttUrl, device: { features: ['*'] } });
    await vi.waitFor(async () => expect(await state(MODE)).toBeOneOf(MODES), soon);
  }, 1_200_000);

  afterAll(async () => {
    await system?.close();
    await hub?.stop();
  });

  it('shows the schedule, with the week as attributes, and every entity has a state', async () => {
    const week = (await hub.states()).get('sensor.home_floor_heating_schedule_now');
    expect(week?.attributes['mon']).toEqual(JSON.parse(system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '{}').mon);
    const ours = [...(await hub.registered()).values()].filter(({ disabled_by }) => disabled_by === null);
    const states = await hub.states();
    expect(ours.length).toBeGreaterThan(30);
    expect(ours.filter(({ entity_id }) => states.get(entity_id)?.state === 'unavailable')).toEqual([]);
  });

  it('sets the schedule by mqtt.publish and tells the answer', async () => {
    const payload = JSON.stringify({ sun: [{ start: '09:00', end: '20:00', mode: 'comfort' }] });
    await hub.call('mqtt.publish', { topic: `${SCHEDULE_TOPIC}/set`, payload, qos: 1 });
    await vi.waitFor(async () => {
      const week = (await hub.states()).get('sensor.home_floor_heating_schedule_now');
      expect(week?.attributes['sun']).toEqual([{ start: '09:00', end: '20:00', mode: 'comfort', position: 0 }]);
      const answer = (await hub.states()).get('event.home_answer');
      expect(answer?.attributes).toMatchObject({ event_type: 'applied', command: 'setSchedule' });
    }, soon);
    expect(system.posts().length).toBe(1);
  });

  it('has the Monday written by the text of the week, which becomes one command', async () => {
    const sent = system.posts().length;
    await hub.call('text.set_value', { entity_id: WEEK, value: 'mon 6-8:30 normal, 17:00-22:00 comfort' });
    await vi.waitFor(async () => expect(await state(WEEK)).toMatch(/^mon 06:00-08:30 normal, 17:00-22:00 comfort;/), soon);
    const { body = '{}' } = system.posts()[sent] ?? {};
    expect(JSON.parse(body).newSchedule.mon).toEqual([
      { start: '06:00', end: '08:30', mode: 'normal', position: 0 },
      { start: '17:00', end: '22:00', mode: 'comfort', position: 1 },
    ]);
    expect(system.posts().length).toBe(sent + 1);
  });

  it('keeps what the heating has when a text is wrong, with an event that says why, and what would be right', async () => {
    const [before, sent] = [await state(WEEK), system.posts().length];
    await hub.call('text.set_value', { entity_id: WEEK, value: 'mon 06:05-08:30 cosy' });
    await vi.waitFor(async () => {
      const answer = (await hub.states()).get('event.home_answer');
      expect(answer?.attributes).toMatchObject({ event_type: 'rejected', code: 'invalid', topic: `${SCHEDULE_TOPIC}/text/set` });
      expect(answer?.attributes['message']).toContain('10-minute grid');
    }, soon);
    expect(await state(WEEK)).toBe(before);
    expect(system.posts().length).toBe(sent);
  });

  it('has its devices unavailable while the bridge is stopped, and available again after its start', async () => {
    await system.stopApp();
    await vi.waitFor(async () => expect(await state(MODE)).toBe('unavailable'), soon);
    const from = system.recorder.heard.length;
    await system.restart();
    // Health comes when the bridge has subscribed and everything is out.
    await system.recorder.untilTopic('heating2mqtt/bridge/health', undefined, from);
    await vi.waitFor(async () => expect(await state(MODE)).toBeOneOf(MODES), soon);
  });

  it('offers its documents again on the birth message', async () => {
    const from = system.recorder.heard.length;
    await system.recorder.publish('homeassistant/status', 'online');
    await system.recorder.until(({ topic }) => topic.startsWith('homeassistant/device/heating2mqtt_7'), from);
    await system.recorder.until(({ topic }) => topic === 'homeassistant/device/heating2mqtt_bridge/config', from);
  });

  it('left no warning in the log', async () => {
    expect(await hub.problems()).toBe('');
  });
});
