import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODES } from '../../../src/features/composites/climateMode.ts';
import { type Channel, readItems, readThings } from '../../support/devices/openhabFiles.ts';
import { answerTo as lastAnswerTo } from '../../support/network/mqttRecorder.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../../../examples/openhab', file), 'utf8');
const { thing, options, channels } = readThings(read('things/heating.things'));
const items = readItems(read('items/heating.items'));
const RULES = read('rules/heating.rules');
const SCRIPT = read('automation/js/heating.js');

/** Which kinds of items a channel of each kind can be linked to. */
const ITEM_TYPES: Readonly<Record<string, string>> = {
  contact: 'Contact',
  switch: 'Switch',
  string: 'String',
  number: 'Number:Temperature',
  datetime: 'DateTime',
};

/** Whether the channel's kind can read the payload, as openHAB's generic Thing does. */
const suits = ({ type, options: { on, off, allowedStates } }: Channel, payload: string): boolean => {
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(payload);
  if (type === 'datetime') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(payload);
  if (type === 'string') return allowedStates === undefined || allowedStates.split(',').includes(payload);
  return payload === on || payload === off;
};

const published = [...RULES.matchAll(/publishMQTT\("([^"]+)", "((?:[^"\\]|\\.)*)", (\w+)\)/g)].map(
  ([, topic = '', payload = '', retain = '']) => ({ topic, payload: payload.replaceAll('\\"', '"'), retain }),
);

describe("openHAB's files", () => {
  let system: TestSystem;
  let kept: ReadonlyMap<string, string>;

  beforeAll(async () => {
    system = await startTestSystem({ device: { features: ['*'] } });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
    // Without a holiday its fields have nothing to show.
    await answerTo('heating2mqtt/home/heating/operating/programs/holiday/set', '{"start":"2030-12-21","end":"2031-01-04"}');
    kept = await retainedOn(system.broker.url);
  });
  afterAll(() => system.close());

  const answerTo = (topic: string, payload: string) => lastAnswerTo(system.recorder, topic, payload);

  test('name the will of the bridge for the Thing', () => {
    expect(channels.length).toBeGreaterThan(10);
    expect(kept.get(options['availabilityTopic'] ?? '')).toBe(options['payloadAvailable']);
    expect(options['payloadNotAvailable']).toBe('offline');
  });

  test.each(channels.filter(({ stateTopic, options: { trigger } }) => trigger === undefined && stateTopic !== ''))(
    '$id reads what its topic shows',
    (channel) => {
      const payload = kept.get(channel.stateTopic);
      expect(payload, channel.stateTopic).toBeDefined();
      expect(suits(channel, payload ?? ''), payload).toBe(true);
    },
  );

  test.each(channels.filter(({ stateTopic, commandTopic }) => commandTopic !== undefined && stateTopic !== ''))(
    '$id can be written: what it shows changes nothing',
    async ({ stateTopic, commandTopic = '' }) => {
      expect(commandTopic).toBe(`${stateTopic.replace(/\/field$/, '')}/set`);
      expect(await answerTo(commandTopic, kept.get(stateTopic) ?? '')).toMatchObject({ status: 'unchanged' });
    },
  );

  test('cancel a holiday by what a switch sends', async () => {
    const { commandTopic = '' } = channels.find(({ id }) => id === 'noTrip') ?? {};
    expect(await answerTo(commandTopic, 'ON')).toMatchObject({ status: 'applied', command: 'unschedule' });
    const start = commandTopic.replace('call/unschedule', 'start/set');
    expect(await answerTo(start, '2030-12-21T00:00')).toMatchObject({ status: 'waiting' });
    expect(await answerTo(commandTopic, 'OFF')).toMatchObject({ status: 'applied' });
  });

  test('link every channel to an item of its kind, and show a wish only when it was taken', () => {
    const wanted = channels
      .filter(({ options: { trigger } }) => trigger === undefined)
      .map(({ id, type, commandTopic }) => [`${thing}:${id}`, ITEM_TYPES[type], commandTopic === undefined]);
    const linked = items.filter(({ channel }) => channel !== undefined);
    expect(linked.map(({ channel, type, autoupdate }) => [channel, type, autoupdate]).sort()).toEqual(wanted.sort());
  });

  test('show and use only items and channels that there are', () => {
    const names = new Set(items.map(({ name }) => name));
    const used = [read('sitemaps/heating.sitemap'), RULES, SCRIPT].flatMap((text) => text.match(/Heating_\w+/g) ?? []);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
    const triggers = [...SCRIPT.matchAll(/ChannelEventTrigger\('([^']+)'\)/g)].map(([, channel = '']) => channel);
    expect(triggers).toEqual(channels.filter(({ options: { trigger } }) => trigger === 'true').map(({ id }) => `${thing}:${id}`));
  });

  test('begin rules with items that write nothing themselves, as one of two writes would have no end', () => {
    const begins = [...RULES.matchAll(/Item (\w+) (?:changed|received command)/g)].map(([, name]) => name);
    expect(begins).toHaveLength(2);
    expect(items.filter(({ name, channel }) => begins.includes(name) && channel !== undefined)).toEqual([]);
  });

  test('take every mode of a thermostat, also one that was set elsewhere', () => {
    expect(channels.find(({ id }) => id === 'mode')?.options['allowedStates']?.split(',')).toEqual(MODES);
  });

  test('show what was refused by one condition, as a second one behind a comma would be another way to show it', () => {
    expect(read('sitemaps/heating.sitemap')).toContain('visibility=[Heating_Refused!=""]');
    const shown = new Map<string, string>();
    scripted(shown);
    expect(shown.get('Heating_Refused')).toBe('');
  });

  test('publish in rules what the bridge takes, never retained', async () => {
    expect(published.map(({ retain }) => retain)).toEqual(published.map(() => 'false'));
    expect(published.length).toBe(3);
    for (const { topic, payload } of published) expect(await answerTo(topic, payload), topic).toMatchObject({ status: 'applied' });
    expect(system.recorder.last(`${SCHEDULE_TOPIC}/entries`)).toBe(kept.get(`${SCHEDULE_TOPIC}/entries`));
    expect(system.recorder.last('heating2mqtt/home/heating/circuits/0/operating/programs/comfort/until')).toMatch(/^\d{4}-/);
  });

  type Rule = { readonly name: string; readonly execute: (event: object) => void };

  /** The script's rules, joined to the bridge as openHAB joins items and channels; `shown` are items of its own. */
  const scripted = (shown: Map<string, string>): readonly Rule[] => {
    const made: Rule[] = [];
    const sent = (name: string): string =>
      channels.find(({ id }) => `${thing}:${id}` === items.find((item) => item.name === name)?.channel)?.commandTopic ?? '';
    const openhab = {
      rules: { JSRule: (rule: Rule) => void made.push(rule) },
      triggers: { GenericCronTrigger: String, ChannelEventTrigger: String },
      items: {
        getItem: (name: string) => ({
          state: kept.get(sent(name).replace(/\/set$/, '')),
          sendCommand: (text: string) => void system.recorder.publish(sent(name), text),
          postUpdate: (text: string) => void shown.set(name, text),
        }),
      },
    };
    vm.runInNewContext(SCRIPT, { require: () => openhab });
    return made;
  };

  test('make the Friday longer by the script, and say what was refused', async () => {
    const shown = new Map<string, string>();
    const [longer, refused] = scripted(shown);
    const from = system.recorder.heard.length;
    longer?.execute({});
    const answer = await system.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('"applied"'),
      from,
    );
    expect(JSON.parse(answer.payload)).toMatchObject({ changed: ['fri'] });
    expect(system.recorder.last(`${SCHEDULE_TOPIC}/fri`)).toBe('05:30-08:30 normal, 16:00-23:30 normal');
    refused?.execute({ receivedEvent: answer.payload });
    expect(shown.get('Heating_Refused')).toBe('');
    const wrong = await answerTo(`${SCHEDULE_TOPIC}/mon/set`, '6:05-8 normal');
    refused?.execute({ receivedEvent: JSON.stringify(wrong) });
    expect(shown.get('Heating_Refused')).toContain('10-minute grid');
  });
});
