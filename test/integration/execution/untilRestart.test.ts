import { expect, test } from 'vitest';
import { CURVE, CURVE_TOPIC, endAt, ended, keptEnds, SET_CURVE } from '../../support/devices/ends.ts';
import { barrier, started, terminalFor, write } from '../../support/schedules/writing.ts';
import { putSent } from '../../support/system/database.ts';
import { published } from '../../support/system/outcome.ts';
import type { VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const LATER = { until: '2026-12-31T11:00:00Z' };
const setCurve = (system: VirtualTestSystem, slope: number, more: object = LATER) =>
  write(system, SET_CURVE, JSON.stringify({ value: { slope, shift: 1 }, id: 'mine', ...more }));
const slopeOf = ({ recorder }: VirtualTestSystem): string | undefined => recorder.last(`${CURVE_TOPIC}/slope`);
const untilOf = ({ recorder }: VirtualTestSystem, feature = CURVE_TOPIC): string | undefined => recorder.last(`${feature}/until`);

/** Stops the bridge, and starts it again after `meanwhile`; gives how much was heard before. */
const restart = async (system: VirtualTestSystem, meanwhile: () => void): Promise<number> => {
  await system.stopApp();
  meanwhile();
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
  return from;
};

test('an end that is still to come is shown and kept over a restart', async () => {
  const system = await started();
  const slope = slopeOf(system);
  await setCurve(system, 2.1);
  const shown = untilOf(system);
  const from = await restart(system, () => undefined);
  expect(system.recorder.heard.slice(from).filter(({ topic }) => topic.endsWith('/until'))).toEqual([]);
  expect(untilOf(system)).toBe(shown);
  await write(system, `${CURVE_TOPIC}/until/set`, 'now');
  expect(slopeOf(system)).toBe(slope);
});

test('an end that has passed while somebody changed a value elsewhere leaves that one, and brings back the other', async () => {
  const system = await started();
  await setCurve(system, 2.1);
  const from = await restart(system, () => {
    system.simulator.control({ command: 'set', feature: CURVE, property: 'slope', value: 0.7 });
    endAt(system, system.time.now() - 60_000);
  });
  const message = 'slope was changed elsewhere since then, so it stays as it is';
  expect(await ended(system, CURVE_TOPIC, from)).toMatchObject({ status: 'applied', message });
  expect(system.posts()).toHaveLength(2);
  expect(slopeOf(system)).toBe('0.7');
  expect(untilOf(system)).toBeUndefined();
  expect(JSON.stringify(keptEnds(system))).not.toContain(CURVE);
});

/** As a killed process leaves it. */
const killed = (system: VirtualTestSystem): void => {
  const end = { untilMs: Date.parse(LATER.until), parts: [{ property: 'slope', written: 2.1, former: 1.2 }] };
  const write = { command: 'setCurve', topic: SET_CURVE, id: 'mine', values: { slope: 2.1 }, end };
  putSent(system.settings.data_dir, 4, `${system.simulator.gateway}/0`, CURVE, write);
};

test.each([
  { what: 'it was carried out: it ends as it should', isShown: true },
  { what: 'it was not: no end is shown', isShown: false },
])('killed while a write that ends by itself was on its way, $what', async ({ isShown }) => {
  const system = await started();
  const from = await restart(system, () => {
    killed(system);
    if (isShown) system.simulator.control({ command: 'set', feature: CURVE, property: 'slope', value: 2.1 });
  });
  await terminalFor(system.recorder, SET_CURVE, from);
  await barrier(system);
  expect(untilOf(system) !== undefined).toBe(isShown);
  if (!isShown) return;
  await write(system, `${CURVE_TOPIC}/until/set`, 'now');
  expect(slopeOf(system)).toBe('1.2');
});

test('the end is on disk when the command goes out', async () => {
  const system = await started();
  system.simulator.control({ command: 'fault', kind: 'hang', execute: true, match: { method: 'POST' }, times: 1 });
  await system.recorder.publish(SET_CURVE, JSON.stringify({ value: { slope: 2.1, shift: 1 }, ...LATER }));
  await system.untilSo(() => system.posts().length > 0);
  expect(keptEnds(system)).toMatchObject([{ state: 'sent', end: { parts: [{ property: 'slope', written: 2.1 }, {}] } }]);
});

test('a stop in the middle of coming back leaves it to the next start', async () => {
  const system = await started();
  const slope = slopeOf(system);
  const before = system.recorder.heard.length;
  system.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST' }, times: 1 });
  await setCurve(system, 2.1).then(({ terminal }) => expect(terminal.status).toBe('failed'));
  await setCurve(system, 2.1, { for: '2s' });
  system.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST' }, times: 1 });
  const failed = await ended(system, CURVE_TOPIC, before);
  expect(failed.status).toBe('failed');
  expect(untilOf(system)).toBeDefined();
  const from = await restart(system, () => undefined);
  expect(await ended(system, CURVE_TOPIC, from)).toMatchObject({ status: 'applied' });
  expect(slopeOf(system)).toBe(slope);
});

test('a kept end that no date can show is left out, and told in one line', async () => {
  const system = await started();
  await setCurve(system, 2.1);
  await restart(system, () => endAt(system, -8.64e15 - 2));
  expect(system.logged.filter(({ sentence }) => sentence.includes('are invalid and are ignored'))).toHaveLength(1);
  await barrier(system);
  expect(slopeOf(system)).toBe('2.1');
  expect(untilOf(system)).toBeUndefined();
});
