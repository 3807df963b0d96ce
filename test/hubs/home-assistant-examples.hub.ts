import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { startChromium } from '../support/browser/chromium.ts';
import { blocksOf } from '../support/docs/blocks.ts';
import { SCHEDULE, SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { openPage, untilShown, updatePicture } from './browser.ts';
import { addCalendar } from './home-assistant-calendar.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';
import { loginScript } from './home-assistant-user.ts';

/** A day of the calendar that is still to come, by the clock on this machine's wall: `2027-01-03`. */
const dayAhead = (days: number): string => {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12).toLocaleDateString('sv-SE');
};

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples/home-assistant');
const DASHBOARD = readFileSync(path.join(EXAMPLES, 'dashboard.yaml'), 'utf8');
const WEEK = 'text.home_floor_heating_schedule_text';
// How the week of the simulated home begins.
const MONDAY = /^mon[a-z,-]* 05:30-08:30 normal, 16:00-22:00 normal/;
/** What is in the calendar: of whole days, and with hours. */
const EVENTS = [
  { summary: 'Away', start: dayAhead(2), end: dayAhead(4) },
  { summary: 'Party', start: `${dayAhead(6)}T18:00:00+01:00`, end: `${dayAhead(6)}T23:00:00+01:00` },
];
const soon = { timeout: 30_000, interval: 200 };

/** A dashboard of a file, as a user's configuration names it. */
const LOVELACE = `
frontend:
lovelace:
  dashboards:
    heating-example:
      mode: yaml
      title: Heating
      filename: dashboard.yaml
`;

/** Puts the shipped files where their README says. */
const useExamples = ({ configDir }: Hub): void => {
  const configuration = path.join(configDir, 'configuration.yaml');
  const text = readFileSync(configuration, 'utf8').replace('homeassistant:\n', 'homeassistant:\n  packages: !include_dir_named packages\n');
  writeFileSync(configuration, text + LOVELACE);
  mkdirSync(path.join(configDir, 'packages'));
  copyFileSync(path.join(EXAMPLES, 'heating2mqtt.yaml'), path.join(configDir, 'packages', 'heating2mqtt.yaml'));
  copyFileSync(path.join(EXAMPLES, 'dashboard.yaml'), path.join(configDir, 'dashboard.yaml'));
};

/** The shipped automations and dashboard in a real Home Assistant, and what a person sees there. */
describe('the files for Home Assistant', () => {
  let hub: Hub;
  let system: TestSystem;
  const state = async (id: string): Promise<string | undefined> => (await hub.states()).get(id)?.state;
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, soon);

  beforeAll(async () => {
    hub = await startHub();
    // A hub that stops while it takes up devices warns.
    useExamples(hub);
    addCalendar(hub.configDir, EVENTS);
    await hub.restart();
    system = await startTestSystem({
      brokerUrl: hub.mqttUrl,
      device: { features: ['*'] },
      overrides: {
        schedules: { profiles: [['holiday', 'daily none']] },
        calendar: { rules: [`Away -> profile holiday; on home/${SCHEDULE}`, 'Party -> program comfort; on heating.circuits.0.*'] },
      },
    });
    await eventually(async () => expect(await state(WEEK)).toMatch(MONDAY));
  });
  afterAll(() => endAll(system, hub));

  it('are a valid configuration, with all automations on', async () => {
    const automations = [...(await hub.states()).values()].filter(({ entity_id }) => entity_id.startsWith('automation.'));
    expect(automations.map(({ entity_id, state: on }) => [entity_id, on]).sort()).toEqual([
      ['automation.heating_a_comfortable_week_when_holidays_begin', 'on'],
      ['automation.heating_tell_what_a_person_must_mend', 'on'],
      ['automation.heating_tell_what_was_refused', 'on'],
    ]);
  });

  /** Holidays begin in a calendar: the week is written until their end, and the one before comes back. */
  const expectHolidays = async (calendar: string, days: number, week: string): Promise<void> => {
    const before = system.recorder.last(`${SCHEDULE_TOPIC}/text`);
    const end = `${dayAhead(days)} 12:00:00`;
    await hub.put(calendar, 'on', { end_time: end });
    await eventually(async () => expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(week));
    const localEnd = await hub.render(`{{ (as_datetime('${end}') | as_local).timestamp() | int }}`, {});
    await eventually(async () => expect(Date.parse(system.recorder.last(`${SCHEDULE_TOPIC}/until`) ?? '') / 1000).toBe(Number(localEnd)));
    await system.recorder.publish(`${SCHEDULE_TOPIC}/until/set`, 'now');
    await eventually(async () => expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(before));
  };

  /** Writes a file of automations to the others, and waits until they are on. */
  const useAutomation = async (name: string, text: string): Promise<void> => {
    writeFileSync(path.join(hub.configDir, 'packages', `${name}.yaml`), text);
    await hub.call('automation.reload', {});
    await eventually(async () => expect(await state(`automation.${name}`)).toBe('on'));
  };

  const notifications = (): Promise<unknown> => hub.ask({ type: 'persistent_notification/get' });

  it('write a week that ends with the holidays', async () => {
    await hub.put('calendar.holidays', 'off');
    await expectHolidays('calendar.holidays', 40, 'mon-sun 07:00-22:00 comfort');
  });

  it('tell what was refused, and what would be right', async () => {
    await hub.call('text.set_value', { entity_id: WEEK, value: 'mon 06:05-08:00 normal' });
    const told = [{ notification_id: 'heating2mqtt', message: expect.stringContaining('10-minute grid') }];
    await eventually(async () => expect(await notifications()).toMatchObject(told));
    await eventually(async () => expect(await state(WEEK)).toMatch(MONDAY));
  });

  it('tell what a person must mend, until it is mended', async () => {
    const connection = 'binary_sensor.home_connection';
    expect(await state(connection)).toBe('off');
    const message = 'Nothing has been read since 2026-11-20 13:00.';
    const problem = JSON.stringify({ connection: { message, since: '2026-11-20T12:00:00.000Z' } });
    await system.recorder.publish('heating2mqtt/home/problems', problem, { retain: true });
    await system.recorder.publish('heating2mqtt/home/availability', 'offline', { retain: true });
    const told = expect.objectContaining({ notification_id: connection, title: 'home Connection', message });
    await eventually(async () => expect(await notifications()).toContainEqual(told));
    // The device is unavailable then, its problem is not.
    expect((await hub.states()).get(connection)).toMatchObject({ state: 'on', attributes: { message } });
    await system.recorder.publish('heating2mqtt/home/problems', '{}', { retain: true });
    await eventually(async () => expect(JSON.stringify(await notifications())).not.toContain(connection));
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'all');
    await eventually(async () => expect(await state(WEEK)).toMatch(MONDAY));
  });

  it('tell a fault with its sentence, until it has ended', async () => {
    const [fault, topic] = ['binary_sensor.home_fault', 'heating2mqtt/home/faults'];
    await eventually(async () => expect(await state(fault)).toBe('off'));
    const message = 'F.74 since 2026-11-20 13:00. Check the water pressure, and tell your installer the code.';
    const active = [{ code: 'F.74', kind: 'fault', since: '2026-11-20T12:00:00.000Z', source: 'messages' }];
    await system.recorder.publish(topic, JSON.stringify({ active, message }), { retain: true });
    const told = expect.objectContaining({ notification_id: fault, title: 'home Fault', message });
    await eventually(async () => expect(await notifications()).toContainEqual(told));
    await system.recorder.publish(topic, JSON.stringify({ active: [] }), { retain: true });
    await eventually(async () => expect(JSON.stringify(await notifications())).not.toContain(fault));
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'all');
  });

  /** What the bridge makes of the events of a calendar. */
  const expectEvents = async (name: string): Promise<void> => {
    const planned = ['Away', 'Party'].map((title) => expect.objectContaining({ titles: [title] }));
    const read = expect.arrayContaining([{ name, events: EVENTS.length, skipped: 0 }]);
    await eventually(async () =>
      expect(JSON.parse(system.recorder.last('heating2mqtt/bridge/calendar') ?? '{}')).toMatchObject({
        state: 'off',
        calendars: read,
        unmatched: [],
        plan: planned,
      }),
    );
  };

  describe('as blueprints', () => {
    /** Imports a blueprint as Home Assistant does it from GitHub, and makes an automation of it. */
    const use = async (name: string, input: object): Promise<void> => {
      const text = readFileSync(path.join(EXAMPLES, 'blueprints/automation/heating2mqtt', `${name}.yaml`), 'utf8');
      const server = createServer((_, answer) => void answer.end(text)).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/${name}.yaml`;
      const imported = await hub.ask({ type: 'blueprint/import', url });
      expect(imported).toMatchObject({ raw_data: text, validation_errors: null, blueprint: { metadata: { domain: 'automation' } } });
      await hub.ask({ type: 'blueprint/save', domain: 'automation', path: `heating2mqtt/${name}`, yaml: text, source_url: url });
      const automation = [{ alias: name, use_blueprint: { path: `heating2mqtt/${name}.yaml`, input } }];
      await useAutomation(name, JSON.stringify({ automation }));
    };

    it('write a week that ends with the holidays', async () => {
      await hub.put('calendar.school', 'off');
      await use('holiday_week', { holidays: 'calendar.school', week: WEEK, text: 'daily 08:00-21:00 comfort' });
      await expectHolidays('calendar.school', 30, 'mon-sun 08:00-21:00 comfort');
    });

    it('send the events of a calendar when one of them begins', async () => {
      await use('send_calendar', { calendars: ['calendar.family'] });
      await hub.put('calendar.family', 'on');
      await expectEvents('home-assistant');
    });

    it('tell when a change is refused', async () => {
      await use('refused_write', { answers: ['event.home_answer'] });
      await hub.call('text.set_value', { entity_id: WEEK, value: 'mon 06:05-08:00 normal' });
      const told = { notification_id: 'event.home_answer', title: 'home did not take a change' };
      const message = expect.stringContaining('10-minute grid');
      await eventually(async () => expect(await notifications()).toContainEqual(expect.objectContaining({ ...told, message })));
    });
  });

  it('read events as the REST interface gives them', async () => {
    const answer = await hub.get(`calendars/calendar.family?start=${dayAhead(0)}T00:00:00Z&end=${dayAhead(14)}T00:00:00Z`);
    await system.recorder.publish('heating2mqtt/calendar/rest/set', answer);
    await expectEvents('rest');
  });

  it('charge the hot water from surplus as the documentation says', async () => {
    const [recipe = ''] = blocksOf('docs/prices.md').flatMap(({ text }) =>
      text.includes('surplus/set') && text.startsWith('automation:') ? text : [],
    );
    const [name, dhw] = ['hot_water_from_surplus', 'heating2mqtt/home/heating/dhw'];
    await hub.put('sensor.grid_export_power', '2400');
    await useAutomation(name, recipe);
    await hub.call('automation.trigger', { entity_id: `automation.${name}` });
    await system.recorder.untilTopic(`${dhw}/oneTimeCharge/surplus/set`, 'true');
    const warm = { status: 'rejected', code: 'not_executable', message: expect.stringContaining('the cylinder is warm') };
    await eventually(async () => expect(JSON.parse(system.recorder.last(`${dhw}/oneTimeCharge/result`) ?? '{}')).toMatchObject(warm));
    await eventually(async () => expect((await hub.states()).get('event.home_answer')?.attributes).toMatchObject(warm));

    system.simulator.control({ command: 'set', feature: 'heating.dhw.sensors.temperature.dhwCylinder', property: 'value', value: 40 });
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.untilTopic(`${dhw}/sensors/temperature/dhwCylinder/value`, '40');
    // Nobody waits for a quarter of an hour here.
    await useAutomation(name, recipe.replace('00:15:00', '00:00:01'));
    await hub.put('sensor.grid_export_power', '2600');
    await system.recorder.untilTopic(`${dhw}/oneTimeCharge/active`, 'true');
    // What its own guards leave out is asked for again and again.
    expect(JSON.stringify(await notifications())).not.toContain('the cylinder is warm');
  });

  it('show only entities that there are', async () => {
    expect(await hub.ask({ type: 'lovelace/config', url_path: 'heating-example' })).toEqual(parse(DASHBOARD));
    const states = await hub.states();
    const named = [...new Set(DASHBOARD.match(/\b(?:climate|sensor|select|text|button|event)\.home_\w+/g))].filter(
      (id) => id !== undefined,
    );
    expect(named).toHaveLength(5);
    expect(named.filter((id) => [undefined, 'unavailable'].includes(states.get(id.replace(/\.attributes$/, ''))?.state))).toEqual([]);
  });

  describe('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser?.close());

    const open = (address: string, height: number, script = ''): Promise<Page> => {
      const login = { access_token: hub.token, token_type: 'Bearer', refresh_token: '', expires_in: 1e6, expires: Date.now() + 1e9 };
      const loggedIn = loginScript({ ...login, hassUrl: hub.url, clientId: `${hub.url}/` });
      return openPage(browser, `${hub.url}/${address}`, { viewport: { width: 1100, height } }, loggedIn + script);
    };

    it('show the week, to write and at a glance, and the last answer', async () => {
      const page = await open('heating-example/heating', 900);
      await untilShown(page, 'Floor', 'Now by the week', 'Next change', 'Week at a glance', '05:30–08:30 normal', 'applied');
      await hub.call('text.set_value', { entity_id: WEEK, value: 'mon 06:05-08:00 normal' });
      await untilShown(page, 'rejected', '10-minute grid');
      await updatePicture(page, 'home-assistant-dashboard.png');
    });

    const deviceOf = async (name: string): Promise<string> => `config/devices/device/${(await hub.devices()).get(name)}`;

    it('are pages that one understands at first sight', async () => {
      await untilShown(await open(await deviceOf('home'), 1000), 'Outside temperature', 'Connection', 'OK');
      const circuit = await open(await deviceOf('home Floor'), 1000);
      const texts = ['Controls', 'Sensors', 'Configuration', 'Supply temperature', 'Heating curve slope'];
      await untilShown(circuit, ...texts);
      // The icons of a page that was open before are there with its texts.
      await circuit.reload({ waitUntil: 'commit' });
      await untilShown(circuit, ...texts);
      await updatePicture(circuit, 'home-assistant.png');
    });

    it('are German pages with the setting for it', async () => {
      await system.restart({ language: 'de' });
      const mode = 'sensor.home_floor_heating_schedule_now';
      await eventually(async () => expect(await state(mode)).toBeOneOf(['Normal', 'Komfort', 'Reduziert']));
      const german = `localStorage.setItem('selectedLanguage', '"de"');`;
      await untilShown(await open(await deviceOf('home'), 1000, german), 'Verbindung');
      const words = async () =>
        [...(await hub.states())].filter(([id]) => id.startsWith('select.home_floor')).map(([, { state }]) => state);
      await eventually(async () => expect(await words()).toContain('Heizen'));
      const circuit = await open(await deviceOf('home Floor'), 1000, german);
      await untilShown(circuit, 'Steuerung', 'Sensoren', 'Konfiguration');
      await updatePicture(circuit, 'home-assistant-de.png');
    });
  });

  it('left no warning in the log', async () => {
    expect(await hub.problems()).toBe('');
  });
});
