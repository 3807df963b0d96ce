import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

const PAGES = ['README.md', 'docs/topics.md', 'docs/schedules.md'];
const FINAL = new Set(['applied', 'unchanged', 'valid']);

/** What each `mosquitto_pub` of a page publishes. */
const commandsOf = (page: string): readonly (readonly [topic: string, payload: string])[] =>
  [
    ...readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8')
      .replaceAll('\\\n', ' ')
      .matchAll(/^mosquitto_pub -t (\S+) +-m (?:'([^']*)'|(\S+))$/gm),
  ].map(([, topic = '', quoted, bare = '']) => [topic, quoted ?? bare]);

describe.each(PAGES)('the commands of %s', (page) => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem({ device: { features: ['*'] } });
    await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  });
  afterAll(() => system.close());

  test('are carried out by the simulated home, one after the other', async () => {
    const commands = commandsOf(page);
    expect(commands.length).toBeGreaterThan(5);
    for (const [topic, payload] of commands) {
      const from = system.recorder.heard.length;
      await system.recorder.publish(topic, payload);
      const answer = await system.recorder.until(({ topic: on, payload: text }) => {
        if (on !== 'heating2mqtt/home/result' && on !== 'heating2mqtt/bridge/result') return false;
        const { topic: to, status } = JSON.parse(text);
        return to === topic && status !== 'accepted';
      }, from);
      expect(FINAL, `${topic} ${payload}: ${answer.payload}`).toContain(JSON.parse(answer.payload).status);
    }
  });
});
