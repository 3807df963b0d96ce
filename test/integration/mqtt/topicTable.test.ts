import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { sharedSystem } from '../../support/schedules/writing.ts';
import { ALL, polled } from '../../support/system/outcome.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const PAGE = readFileSync(new URL('../../../docs/topics.md', import.meta.url), 'utf8');

/** The rows of docs/topics.md that begin with a topic of this kind. */
const rows = [...PAGE.matchAll(/^\| `(<base>\/[^`]*)` \| (yes|no)?/gm)].map(([, topic = '', retained]) => ({
  topic,
  retained: retained === 'yes',
  isState: retained !== undefined,
}));
/** Tried in test/integration/accounts. */
const OF_SEVERAL_ACCOUNTS = '<base>/bridge/accounts';
const STATE_TOPICS = rows.filter(({ isState, topic }) => isState && topic !== OF_SEVERAL_ACCOUNTS);
const COMMAND_TOPICS = rows.filter(({ isState }) => !isState);

/** A row's topic as a pattern: feature names have one level or more. */
const patternOf = (topic: string): RegExp =>
  new RegExp(
    `^${topic
      .replace('<base>', 'heating2mqtt')
      .replace('<feature>', '.+')
      .replace('<day>', '(?:mon|tue|wed|thu|fri|sat|sun)')
      .replaceAll(/<(?:device|property|command|n|part)>/g, '[^/]+')}$`,
  );

const isCommand = (topic: string): boolean => readCommandTopic('heating2mqtt', topic) !== undefined;

const SEASON = `home ${SCHEDULE}: summer bright, winter dark, above 16`;

describe('the tables of docs/topics.md', () => {
  // A midnight passes, so that a day has ended.
  const startMs = Date.parse('2026-11-21T23:58:30Z');
  const system = sharedSystem({
    ...ALL,
    startMs,
    overrides: {
      ...{ homeassistant: { discovery: 'off' as const }, calendar: { rules: ['Away -> holiday'] } },
      ...{ schedules: { seasons: [SEASON] }, prices: { topic: 'home/prices' } },
    },
  });
  beforeAll(async () => {
    const { recorder } = system();
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, '[]');
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'mon none for 1h');
    await recorder.untilTopic(`${SCHEDULE_TOPIC}/until`);
    // As in the vendor's app.
    const monday = [{ start: '01:00', end: '02:00', mode: 'normal', position: 0 }];
    system().simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: { mon: monday } });
    system().simulator.control({ command: 'raise', code: 'F.1', device: '0' });
    await polled(system());
    await recorder.untilTopic(`${SCHEDULE_TOPIC}/until/conflict`);
    await recorder.publish('heating2mqtt/home/heating/operating/programs/holiday/start/set', '2099-01-01');
    await recorder.untilTopic('heating2mqtt/home/heating/operating/programs/holiday/waiting');
    await system().time.pass(2 * 60_000);
    await polled(system());
    await recorder.untilTopic('heating2mqtt/home/performance/month');
    await recorder.publish('heating2mqtt/nobody/x/set', '1');
    await recorder.untilTopic('heating2mqtt/bridge/result');
  });

  test('are read', () => expect([STATE_TOPICS.length, COMMAND_TOPICS.length]).toEqual([40, 24]));

  test('have a row for every topic that a running bridge uses', () => {
    const patterns = STATE_TOPICS.map(({ topic }) => patternOf(topic));
    const strangers = system().recorder.heard.filter(({ topic }) => !isCommand(topic) && !patterns.some((pattern) => pattern.test(topic)));
    expect(strangers.map(({ topic }) => topic)).toEqual([]);
    expect(system().recorder.heard.length).toBeGreaterThan(200);
  });

  // They need more days.
  const LATER = /performance\/(?:factor|starts_per_day)$/;

  test.each(STATE_TOPICS.filter(({ topic }) => !LATER.test(topic)))(
    '$topic is used, and retained as its row says',
    ({ topic, retained }) => {
      const heard = system().recorder.heard.filter((message) => patternOf(topic).test(message.topic) && !isCommand(message.topic));
      expect(heard).not.toEqual([]);
      const kept = system().onBroker;
      // <feature>/<property> also fits what has a row of its own.
      const own = heard.filter(({ topic: one }) => STATE_TOPICS.findLast((row) => patternOf(row.topic).test(one))?.topic === topic);
      for (const { topic: one } of own) expect(kept.has(one), one).toBe(retained);
    },
  );

  test.each(COMMAND_TOPICS)('$topic is listened to', ({ topic }) => {
    const example = topic
      .replace('<base>', 'heating2mqtt')
      .replace('<device>', 'home')
      .replace('<feature>', 'heating/dhw')
      .replace('<command>', 'x')
      .replace('<property>', 'value')
      .replace('<n>', '0')
      .replace('<name>', 'family')
      .replace('<part>', 'mode')
      .replace('<day>', 'mon');
    expect(isCommand(example)).toBe(true);
  });
});
