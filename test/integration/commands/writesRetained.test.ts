import { describe, expect, onTestFinished, test } from 'vitest';
import { VERSIONS } from '../../support/network/testBroker.ts';
import { day, weekText } from '../../support/schedules/weeks.ts';
import {
  answersOn,
  BRIDGE_RESULT,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  hurry,
  ONE,
  RESULT,
  SET,
  terminalFor,
} from '../../support/schedules/writing.ts';
import { published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const WISH = JSON.stringify({ mon: day('04:00-05:00 comfort') });
const OTHER = JSON.stringify({ tue: day('04:00-05:00 comfort') });
const EXECUTED = 'a command was published retained; its topic was cleared';

const warnings = ({ logged }: TestSystem): string[] =>
  logged.flatMap(({ level, sentence }) => (level === 'warn' && sentence.includes('cleared') ? [sentence] : []));

/** Answers on the device's result but for `accepted`, in order. */
const terminals = ({ recorder }: TestSystem): string[] =>
  answersOn(recorder.heard, DEVICE_RESULT).flatMap(({ status, code }) => (status === 'accepted' ? [] : [code ?? status]));

describe.each(VERSIONS)('a retained command with MQTT %s', (version) => {
  const start = async (prepare?: TestSystemOptions['prepare']): Promise<TestSystem> => {
    const system = await startTestSystem({ ...ONE, ...(prepare ? { prepare } : {}), overrides: { mqtt: { version } } });
    onTestFinished(() => system.close());
    hurry(system.recorder);
    await published(system);
    return system;
  };

  /** Waits until the broker keeps nothing on these topics. */
  const cleared = async ({ broker: { url } }: TestSystem, ...topics: readonly string[]): Promise<void> => {
    for (let kept = await retainedOn(url); topics.some((topic) => kept.has(topic)); ) kept = await retainedOn(url);
  };

  test('that waited before the start is not executed, cleared, told once, answered once', async () => {
    const leaves = ['set', 'entries/set', 'text/set', 'mon/set', 'profile/set', 'undo/set', 'until/set', 'validate', 'call/resetSchedule'];
    const ours = leaves.map((leaf) => `${SCHEDULE_TOPIC}/${leaf}`);
    const topics = [...ours, 'heating2mqtt/bridge/poll/set'];
    const system = await start(async (_, recorder) => {
      for (const topic of topics) await recorder.publish(topic, WISH, { retain: true });
    });
    await cleared(system, ...topics);
    await barrier(system);
    expect(system.posts()).toEqual([]);
    const told = system.logged.flatMap(({ facts, sentence }) => (/not executed; .* cleared$/.test(sentence) ? [facts] : []));
    // One line tells of one topic, or of several.
    expect(told.map((facts) => ('topics' in facts ? Number(facts.topics) : 1)).reduce((sum, one) => sum + one)).toBe(topics.length);
    const said = answersOn(system.recorder.heard, DEVICE_RESULT);
    expect(said.map(({ topic, status, code }) => [topic, status, code]).sort()).toEqual(
      ours.map((topic) => [topic, 'rejected', 'retained']).sort(),
    );
    expect(answersOn(system.recorder.heard, RESULT)).toHaveLength(ours.length);
    expect(answersOn(system.recorder.heard, BRIDGE_RESULT).filter(({ code }) => code === 'retained')).toHaveLength(1);
  });

  // With MQTT 5: commandProperties.test.ts.
  if (version === '3.1.1') {
    test('published live is executed once, then cleared and told', async () => {
      const system = await start();
      const { recorder } = system;
      const from = recorder.heard.length;
      await recorder.publish(SET, WISH, { retain: true });
      expect((await terminalFor(recorder, SET, from)).status).toBe('applied');
      await cleared(system, SET);
      await barrier(system);
      expect(system.posts()).toHaveLength(1);
      expect(terminals(system)).toEqual(['applied']);
      expect(warnings(system)).toEqual([EXECUTED]);
    });

    test('and one after it that is not, on the same topic, have one answer each', async () => {
      const system = await start();
      const { recorder } = system;
      await Promise.all([recorder.publish(SET, WISH, { retain: true }), recorder.publish(SET, OTHER)]);
      await recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && payload.includes('"changed":["tue"]'));
      await cleared(system, SET);
      await barrier(system);
      expect(terminals(system)).toEqual(['applied', 'applied']);
      expect(warnings(system)).toEqual([EXECUTED]);
      const week = JSON.parse(recorder.last(ENTRIES) ?? '');
      expect(weekText(week)).toBe(weekText({ ...week, ...JSON.parse(WISH), ...JSON.parse(OTHER) }));
    });

    test('published twice at once has two answers, and nothing stays', async () => {
      const system = await start();
      const { recorder } = system;
      await Promise.all([recorder.publish(SET, WISH, { retain: true }), recorder.publish(SET, WISH, { retain: true })]);
      await recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && payload.includes('"applied"'));
      await cleared(system, SET);
      await barrier(system);
      expect(system.posts()).toHaveLength(1);
      expect(terminals(system)).toEqual([expect.stringMatching(/^applied|unchanged$/), expect.stringMatching(/^applied|unchanged$/)]);
    });
  }

  test('that was refused is not refused again by the next run', async () => {
    const system = await start(async (_, recorder) => recorder.publish(SET, WISH, { retain: true }));
    await cleared(system, SET);
    const from = system.recorder.heard.length;
    await system.restart();
    await system.recorder.untilTopic('heating2mqtt/bridge/info', undefined, from);
    await barrier(system);
    expect(terminals(system)).toEqual(['retained']);
    expect(system.posts()).toEqual([]);
  });
});
