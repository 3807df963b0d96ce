import { describe, expect, onTestFinished, test } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.ts';
import { chance } from '../support/chance.ts';
import { recordsFrom } from '../support/devices/expected.ts';
import { day, type ShownWeek, weekText } from '../support/schedules/weeks.ts';
import { answersOn, barrier, DEVICE_RESULT, ENTRIES, ENTRIES_SET, hurry, isTerminal, ONE, SET } from '../support/schedules/writing.ts';
import { published } from '../support/system/outcome.ts';
import { SCHEDULE, SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

const json = (value: unknown): string => JSON.stringify(value);

const FAULTS: readonly [object, ...object[]] = [
  { match: { path: '/features' }, delayMs: 30 },
  ...'cut_after_effect cut_before html502 timeout504 success_false gateway_offline rubbish expired_token'
    .split(' ')
    .map((kind) => ({ kind, match: { path: '/features' } })),
  { match: { path: '/commands/' }, hang: true },
  { kind: 'internal_error', match: { path: '/commands/' }, execute: true },
];

type Message = { readonly topic: string; readonly payload: string; readonly id?: number };
type Choose = <T>(...of: readonly [T, ...T[]]) => T;

/** Any command, right or wrong; the `id` is there where it can come back. */
const command = (id: number, one: Choose): Message => {
  const count = (least: number, most: number): number => one(least, ...Array.from({ length: most - least }, (_, i) => least + 1 + i));
  const entry = (mode: string) => day(`${String(count(0, 9)).padStart(2, '0')}:00-${count(11, 20)}:00 ${mode}`);
  const some = (mode: string): ShownWeek => ({ [one('mon', 'tue', 'wed')]: entry(mode) });
  const home = 'heating2mqtt/home/heating';
  return one<() => Message>(
    () => ({ topic: SET, payload: json({ value: some('normal'), id }), id }),
    () => ({ topic: ENTRIES_SET, payload: json({ value: { mon: entry('comfort'), sun: entry('normal') }, id }), id }),
    () => ({ topic: `${home}/dhw/schedule/set`, payload: json({ value: some('top'), id }), id }),
    () => ({ topic: SET, payload: json({ value: some('nothing'), id }), id }),
    () => ({ topic: SET, payload: one('{', '[]', '', 'mon none', '{"mon":[{}]}') }),
    () => ({ topic: SET.replace(/set$/, 'validate'), payload: json(some('normal')) }),
    () => ({ topic: `${home}/circuits/0/heating/curve/call/setCurve`, payload: json({ slope: count(1, 7) / 2, shift: count(0, 9) }) }),
    () => ({ topic: `${home}/dhw/oneTimeCharge/call/setActive`, payload: one('true', 'false', 'maybe') }),
    () => ({ topic: `${SCHEDULE_TOPIC}/call/resetSchedule`, payload: 'x' }),
    () => ({ topic: `${home}/no/such/feature/set`, payload: 'x' }),
  )();
};

const trouble = (simulator: Simulator, one: Choose): void => {
  for (const _ of one<readonly number[]>([], [1], [1, 2])) simulator.control({ command: 'fault', times: 1, ...one(...FAULTS) });
  if (one(0, 1, 2, 3, 4, 5, 6, 7, 8, 9) === 0) simulator.control({ command: 'adapt' });
  simulator.control({ command: 'lag', ms: one(0, 0, 5, 20) });
};

/** Publishes a thousand commands in bursts, with troubles between them; gives them when each has an answer. */
const play = async ({ recorder, simulator }: TestSystem, one: Choose): Promise<readonly Message[]> => {
  const from = recorder.heard.length;
  const messages = Array.from({ length: 1000 }, (_, id) => command(id, one));
  for (let next = 0; next < messages.length; ) {
    const burst = messages.slice(next, next + one(1, 5, 20, 40));
    next += burst.length;
    trouble(simulator, one);
    await Promise.all(burst.map(({ topic, payload }) => recorder.publish(topic, payload)));
  }
  const isAnswered = (): boolean => answersOn(recorder.heard.slice(from), DEVICE_RESULT).filter(isTerminal).length >= messages.length;
  while (!isAnswered()) await recorder.until(({ topic }) => topic === DEVICE_RESULT, recorder.heard.length, 20_000);
  return messages;
};

/** How many messages or answers there are on each topic. */
const byTopic = (of: readonly { readonly topic: string }[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(of, ({ topic }) => topic)].map(([topic, all]) => [topic, all.length]));

describe('a thousand commands under faults', () => {
  test.each(['one', 'another'])('have a thousand terminal answers, and none is sent twice: %s', { timeout: 120_000 }, async (name) => {
    const system = await startTestSystem({
      ...ONE,
      device: { features: [SCHEDULE, 'heating.dhw.schedule', 'heating.circuits.0.heating.curve', 'heating.dhw.oneTimeCharge'] },
      overrides: { commands: { confirm_s: [0.01, 0.03], per_hour: 100_000, fresh_s: 1 }, platform: { timeout_s: 0.2 } },
    });
    onTestFinished(() => system.close());
    hurry(system.recorder);
    await published(system);
    const { recorder, simulator } = system;
    const random = chance(`a thousand commands, ${name}`);
    const from = recorder.heard.length;
    const messages = await play(system, (...of) => of[Math.floor(random() * of.length)] ?? of[0]);
    await barrier(system);
    const answers = answersOn(recorder.heard.slice(from), DEVICE_RESULT);
    const terminals = answers.filter(isTerminal);
    expect(byTopic(terminals)).toEqual(byTopic(messages));
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(terminals.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])).sort((a, b) => a - b)).toEqual(ids);
    expect(answers.filter(({ code }) => code === 'internal')).toEqual([]);

    // Sent twice is only what was refused with 401.
    const posts = simulator
      .calls()
      .filter(({ method, path, status }) => method === 'POST' && path.includes('/commands/') && status !== 401);
    const sent = terminals.filter(({ status }) => ['applied', 'unconfirmed', 'failed'].includes(status));
    expect(posts.length).toBeGreaterThan(100);
    expect(posts.length).toBeLessThanOrEqual(sent.length);

    // In the end the broker shows what the platform has.
    simulator.control({ command: 'reset' });
    const record = (await recordsFrom(simulator, '0')).find(({ feature }) => feature === SCHEDULE);
    const shown = weekText(JSON.parse(json(record)).properties.entries.value);
    const end = recorder.heard.length - 1;
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    if (recorder.last(ENTRIES) !== shown) await recorder.untilTopic(ENTRIES, shown, end);
    await barrier(system);
    expect(recorder.last(ENTRIES)).toBe(shown);
  });
});
