import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { endAll, type Hub, type State, startHub } from './home-assistant-hub.ts';

const soon = { timeout: 30_000, interval: 200 };
const UNIQUE = 'heating_operating_programs_holiday';

/** A holiday planned date by date, as a person does it on the page of the device. */
describe('a holiday in Home Assistant', () => {
  let hub: Hub;
  let system: TestSystem;
  const entities = new Map<string, string>();

  beforeAll(async () => {
    hub = await startHub();
    system = await startTestSystem({ brokerUrl: hub.mqttUrl, device: { features: ['*'] } });
    await vi.waitFor(async () => {
      const registered = await hub.registered();
      for (const key of ['start', 'end', 'call_unschedule']) {
        const found = [...registered.values()].find(({ unique_id: id }) => id.endsWith(`_0_${UNIQUE}_${key}`));
        expect(found, key).toMatchObject({ disabled_by: null });
        entities.set(key, found?.entity_id ?? '');
      }
      for (const key of entities.keys()) expect((await state(key))?.state, key).toBe(key === 'call_unschedule' ? 'unknown' : '');
    }, soon);
  });
  afterAll(() => endAll(system, hub));

  const state = async (key: string): Promise<State | undefined> => (await hub.states()).get(entities.get(key) ?? '');
  const type = (key: string, value: string): Promise<void> => hub.call('text.set_value', { entity_id: entities.get(key), value });
  const shows = (key: string, value: string | RegExp): Promise<void> =>
    vi.waitFor(async () => expect((await state(key))?.state).toMatch(value), soon);

  it('keeps the first date in its field, and sends nothing before the other', async () => {
    await type('start', '2030-12-21');
    await shows('start', '2030-12-21');
    expect((await state('start'))?.attributes).toMatchObject({ missing: ['end'], command: 'schedule' });
    expect((await state('end'))?.state).not.toMatch(/\d/u);
    expect(system.posts()).toEqual([]);
  });

  it('keeps it over a restart of each side', async () => {
    await system.restart();
    await hub.restart();
    await shows('start', '2030-12-21');
    await shows('end', '');
    await vi.waitFor(async () => expect((await state('start'))?.attributes).toMatchObject({ missing: ['end'] }), soon);
  });

  it('refuses an end before the start, and the field goes back', async () => {
    const from = system.recorder.heard.length;
    await type('end', '2030-12-20');
    const { payload } = await system.recorder.until(
      (heard) => heard.topic.endsWith('home/result') && JSON.parse(heard.payload).status === 'rejected',
      from,
    );
    expect(JSON.parse(payload).message).toMatch(/2030-12-20.*2030-12-21/u);
    await shows('end', '');
    await shows('start', '2030-12-21');
  });

  it('sends both with the second date, and shows both', async () => {
    await type('end', '2031-01-04');
    await shows('end', '2031-01-04');
    await shows('start', '2030-12-21');
    await vi.waitFor(async () => expect((await state('start'))?.attributes).not.toHaveProperty('missing'), soon);
    expect(system.posts().map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ start: '2030-12-21', end: '2031-01-04' }]);
  });

  it('is cancelled by one button, what is planned as well as what waits', async () => {
    const press = (): Promise<void> => hub.call('button.press', { entity_id: entities.get('call_unschedule') });
    await press();
    await shows('start', '');
    await type('end', '2031-01-05');
    await shows('end', '2031-01-05');
    const posts = system.posts().length;
    await press();
    await shows('end', '');
    expect(system.posts()).toHaveLength(posts);
    expect(await hub.problems()).toBe('');
  });
});
