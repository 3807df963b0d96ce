import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { blocksOf } from '../support/docs/blocks.ts';
import { listen, type MqttRecorder } from '../support/network/mqttRecorder.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { type Overrides, SCHEDULE, SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { openPage, untilShown, updatePicture } from './browser.ts';
import { installNodeRed, type NodeRed, startNodeRed } from './node-red-hub.ts';

const FLOWS = path.resolve(import.meta.dirname, '../../examples/node-red/heating2mqtt.json');
const COMFORT_TOPIC = 'heating2mqtt/home/heating/circuits/0/operating/programs/comfort';

/** What events do. */
const CALENDAR: Overrides = {
  schedules: { profiles: [['away', 'daily 06:00-07:00 normal']] },
  calendar: { rules: [`Away -> profile away; all-day; on home/${SCHEDULE}`, 'Party -> program comfort; on heating.circuits.0.*'] },
};

/** The shipped flows in a real Node-RED, with the real bridge and a real Mosquitto with MQTT 5. */
describe('the flows in Node-RED', () => {
  let red: NodeRed;
  let system: TestSystem;
  /** Hears what only MQTT 5 carries. */
  let recorder: MqttRecorder;

  /** Presses a node and gives what another one told after that. */
  const pressed = async (node: string, payload: unknown, answer: string, fits = (text: string) => text !== ''): Promise<string> => {
    const from = red.told.length;
    await red.press(node, payload);
    return red.until(answer, fits, from);
  };

  beforeAll(async () => {
    await installNodeRed();
    red = await startNodeRed();
    recorder = await listen(red.mqttUrl, { protocolVersion: 5 });
    system = await startTestSystem({ brokerUrl: red.mqttUrl, device: { features: ['*'] }, overrides: CALENDAR });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
    // An alarm comes at once in place of after a minute.
    const folder = mkdtempSync(path.join(os.tmpdir(), 'flows-'));
    const flows = path.join(folder, 'flows.json');
    writeFileSync(flows, readFileSync(FLOWS, 'utf8').replace('"units": "min"', '"units": "ms"'));
    await red.deploy(flows);
    rmSync(folder, { recursive: true });
  });

  afterAll(async () => {
    await system?.close();
    await recorder?.close();
    await red?.stop();
  });

  it('change one day, and get the answer on the response topic with its correlation', async () => {
    const answer = JSON.parse(await pressed('h2m_day_press', undefined, 'h2m_day_done'));
    expect(answer).toMatchObject({ status: 'applied', command: 'setSchedule', changed: ['sat'] });
    expect(JSON.parse(system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '{}').sat).toEqual([
      { start: '08:00', end: '23:00', mode: 'normal', position: 0 },
    ]);
    expect(system.posts().length).toBe(1);
    const heard = await recorder.until(({ topic, payload }) => topic === 'nodered/heating/answer' && payload.includes('"applied"'));
    expect(heard.correlation).toMatch(/^[0-9a-f]{16}$/);
    await red.until('h2m_day_now', (text) => text === '08:00-23:00 normal');
  });

  it('say that it is so already', async () => {
    expect(JSON.parse(await pressed('h2m_day_press', undefined, 'h2m_day_done'))).toMatchObject({ status: 'unchanged' });
    expect(system.posts().length).toBe(1);
  });

  it('say what would be right', async () => {
    const told = await pressed('h2m_day_press', '08:05-23:00 cosy', 'h2m_day_refused');
    expect(told).toContain('10-minute grid');
    expect(told).toContain('normal');
    expect(system.posts().length).toBe(1);
  });

  it('boost for two hours, and end it before', async () => {
    expect(JSON.parse(await pressed('h2m_boost_press', undefined, 'h2m_boost_done'))).toMatchObject({ status: 'applied' });
    expect(system.recorder.last(`${COMFORT_TOPIC}/active`)).toBe('true');
    const end = Date.parse(system.recorder.last(`${COMFORT_TOPIC}/until`) ?? '') - Date.now();
    expect(end / 60_000).toBeGreaterThan(118);
    expect(end / 60_000).toBeLessThan(121);
    await red.until('h2m_boost_shown', (text) => /^\d{4}-/.test(text));
    const back = await pressed('h2m_boost_stop', undefined, 'h2m_boost_done');
    expect(JSON.parse(back)).toMatchObject({ status: 'applied' });
    expect(system.recorder.last(`${COMFORT_TOPIC}/active`)).toBe('false');
    expect(system.recorder.last(`${COMFORT_TOPIC}/until`)).toBeUndefined();
    expect(await pressed('h2m_boost_stop', undefined, 'h2m_boost_refused')).not.toBe('');
  });

  it('tell when something is wrong, once, and when it is fine again', async () => {
    expect(red.told.filter(({ node }) => node === 'h2m_watch_alarm')).toEqual([]);
    expect(await pressed('h2m_watch_age', 0, 'h2m_watch_alarm')).toBe('Nothing was read for more than 0 minutes.');
    await pressed('h2m_watch_age', 60, 'h2m_watch_state', (text) => text === 'fine');

    let from = red.told.length;
    await system.recorder.publish('heating2mqtt/home/availability', 'offline', { retain: true });
    expect(await red.until('h2m_watch_alarm', () => true, from)).toBe('Nothing new comes from home.');
    await system.recorder.publish('heating2mqtt/bridge/auth', JSON.stringify({ state: 'login_needed' }), { retain: true });
    expect(await red.until('h2m_watch_alarm', (text) => text.includes('login'), from)).toBe('heating2mqtt needs a login.');

    from = red.told.length;
    await system.stopApp();
    expect(await red.until('h2m_watch_alarm', () => true, from)).toBe('The bridge is not running.');
    from = red.told.length;
    await system.restart();
    await red.until('h2m_watch_state', (text) => text === 'fine', from);
    expect(red.told.slice(from).filter(({ node, as }) => node === 'h2m_watch_alarm' && as === 'debug')).toEqual([]);
  });

  it('raise no alarm for a restart of the bridge', async () => {
    await red.deploy(FLOWS);
    const from = red.told.length;
    await system.restart();
    await red.until('h2m_watch_state', (text) => text === 'The bridge is not running.', from);
    await red.until('h2m_watch_state', (text) => text === 'fine', from);
    expect(red.told.slice(from).filter(({ node, as }) => node === 'h2m_watch_alarm' && as === 'debug')).toEqual([]);
  });

  it('look in the editor as the documentation shows them', async () => {
    const browser = await startChromium();
    onTestFinished(() => browser.close());
    const page = await openPage(browser, red.url, { viewport: { width: 1000, height: 440 } });
    const shown = ['Change one day', 'Boost', 'Monitor', 'Saturday until 23:00', 'what would be right', '08:00-23:00 normal'];
    await untilShown(page, ...shown);
    await page.evaluate("['core:toggle-palette', 'core:toggle-sidebar'].forEach((side) => RED.actions.invoke(side))");
    await updatePicture(page, 'node-red.png');
  });

  it('send the events of a calendar as the documentation says, of whole days and with hours', async () => {
    const [func] = blocksOf('docs/calendar.md').flatMap(({ text }) => (text.includes('msg.topic') ? text : []));
    const broker = JSON.parse(readFileSync(FLOWS, 'utf8')).find(({ type }: { readonly type: string }) => type === 'mqtt-broker');
    // The nodes of a calendar give moments as dates of JavaScript: those of a whole day are at its midnight.
    const give =
      'msg.payload.forEach((one) => { for (const key of ["eventStart", "eventEnd"]) one[key] = new Date(one[key]); }); return msg;';
    // Without a place it would be taken for a configuration.
    const node = (id: string, type: string, to: readonly string[], more: object) => ({
      id,
      type,
      z: 'tab',
      x: 100,
      y: 100,
      wires: [to],
      ...more,
    });
    const flows = [
      { id: 'tab', type: 'tab', label: 'Calendar' },
      broker,
      node('press', 'inject', ['give'], { props: [{ p: 'payload' }], payload: '[]', payloadType: 'json' }),
      node('give', 'function', ['function'], { func: give, outputs: 1 }),
      node('function', 'function', ['send'], { func, outputs: 1 }),
      node('send', 'mqtt out', [], { topic: '', qos: '1', retain: 'false', broker: broker.id }),
    ];
    const folder = mkdtempSync(path.join(os.tmpdir(), 'flows-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, 'flows.json'), JSON.stringify(flows));
    await red.deploy(path.join(folder, 'flows.json'));
    const days = [3, 5].map((after) => new Date(new Date().setHours(24 * after, 0, 0, 0)));
    const hours = [7, 8].map((after) => new Date(Date.now() + after * 86_400_000));
    await red.press('press', [
      { summary: 'Away', eventStart: days[0], eventEnd: days[1], allDay: true },
      { summary: 'Party', eventStart: hours[0], eventEnd: hours[1], allDay: false },
    ]);
    const told = await system.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/calendar' && payload.includes('family'),
    );
    expect(JSON.parse(told.payload)).toMatchObject({
      calendars: [{ name: 'family', events: 2, skipped: 0 }],
      unmatched: [],
      plan: [{ titles: ['Away'] }, { titles: ['Party'] }],
    });
  });

  it('left no retained command, and nothing in the log of Node-RED', async () => {
    const topics = [...(await retainedOn(system.broker.url)).keys()];
    expect(topics.filter((topic) => topic.endsWith('/set') || topic.startsWith('nodered/'))).toEqual([]);
    expect(red.problems()).toEqual([]);
  });
});
