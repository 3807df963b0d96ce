import { expect, onTestFinished, test } from 'vitest';
import { DAY_NAMES, daily, day, type ShownWeek, weekText } from '../../support/schedules/weeks.ts';
import {
  answersOn,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  isTerminal,
  ONE,
  resultIn,
  SET,
  terminalFor,
  write,
} from '../../support/schedules/writing.ts';
import { published } from '../../support/system/outcome.ts';
import { type BridgeSystem, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

const UNDO = `${SCHEDULE_TOPIC}/undo/set`;

/** A test system that waits half a second for further writes, which is the default. */
const start = async (): Promise<BridgeSystem> => {
  const system = await startVirtualSystem({ ...ONE, overrides: { commands: { settle_ms: 500 } } });
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

const present = ({ recorder }: BridgeSystem): ShownWeek => JSON.parse(recorder.last(ENTRIES) ?? '');
const sent = (system: BridgeSystem): ShownWeek[] => system.posts().map(({ body }) => JSON.parse(body ?? '').newSchedule);

test('seven days that Home Assistant writes one by one are one call, with seven answers', async () => {
  const system = await start();
  const { recorder } = system;
  const from = recorder.heard.length;
  for (const name of DAY_NAMES) await recorder.publish(`${SCHEDULE_TOPIC}/${name}/set`, '06:00-08:00 normal, 17:00-22:00 comfort');
  for (const name of DAY_NAMES) {
    const said = await terminalFor(recorder, `${SCHEDULE_TOPIC}/${name}/set`, from);
    expect(said).toMatchObject({ status: 'applied', changed: [name] });
  }
  await barrier(system);
  expect(sent(system)).toEqual([daily('06:00-08:00 normal, 17:00-22:00 comfort')]);
  expect(answersOn(recorder.heard.slice(from), DEVICE_RESULT).filter(isTerminal)).toHaveLength(7);
  // No half of it was ever shown.
  const shown = recorder.heard.slice(from).filter(({ topic }) => topic === ENTRIES);
  expect(shown.map(({ payload }) => payload)).toEqual([weekText(daily('06:00-08:00 normal, 17:00-22:00 comfort'))]);
});

test('one that is overwritten shows the present value of its topic again', async () => {
  const system = await start();
  const { recorder } = system;
  const from = recorder.heard.length;
  const topic = `${SCHEDULE_TOPIC}/mon/set`;
  await recorder.publish(topic, '01:00-02:00 normal');
  await recorder.publish(SET, JSON.stringify({ value: { mon: day('03:00-04:00 normal') }, id: 'later' }));
  expect(await terminalFor(recorder, topic, from)).toMatchObject({ status: 'superseded', kept: [] });
  expect(await terminalFor(recorder, SET, from)).toMatchObject({ status: 'applied', id: 'later', changed: ['mon'] });
  await barrier(system);
  expect(recorder.last(`${SCHEDULE_TOPIC}/mon`)).toBe('03:00-04:00 normal');
  expect(recorder.heard.slice(from).filter((heard) => heard.topic === `${SCHEDULE_TOPIC}/mon`).length).toBeGreaterThan(1);
});

test('an undo takes back the last change, after a restart too', async () => {
  const system = await start();
  const before = present(system);
  expect((await write(system, SET, JSON.stringify({ mon: day('01:00-02:00 normal') }))).statuses).toEqual(['accepted', 'applied']);
  expect((await write(system, SET, JSON.stringify({ tue: day('01:00-02:00 normal') }))).statuses).toEqual(['accepted', 'applied']);
  const first = await write(system, UNDO, 'PRESS');
  expect(first).toMatchObject({ statuses: ['accepted', 'applied'], terminal: { changed: ['tue'], command: 'setSchedule' } });
  const from = system.recorder.heard.length;
  await system.restart();
  await system.recorder.untilTopic('heating2mqtt/bridge/info', undefined, from);
  const second = await write(system, UNDO, '{"value":true,"id":"back"}');
  expect(second).toMatchObject({ statuses: ['accepted', 'applied'], terminal: { changed: ['mon'], id: 'back' } });
  expect(present(system)).toEqual(before);
  const third = await write(system, UNDO, 'PRESS');
  expect(third).toMatchObject({ statuses: ['unchanged'], posts: [] });
  expect(resultIn(await system.recorder.until(({ topic }) => topic === DEVICE_RESULT)).device).toBe('home');
});
