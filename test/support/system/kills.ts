import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { chance } from '../chance.ts';
import { featureTopics, recordsFrom, stateOf } from '../devices/expected.ts';
import { barrier, DEVICE_RESULT, isTerminal, resultIn } from '../schedules/writing.ts';
import { presumedCallsIn, writesIn } from './database.ts';
import { processSystem } from './processSystem.ts';
import { retainedOn } from './retainedTopics.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const OUTSIDE = 'heating.sensors.temperature.outside';
const CALL = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';

/** The writes that are on disk and open, by id. */
const sentIn = (dir: string): readonly string[] => writesIn(dir).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));

/** Starts a bridge in a test system of its own and kills it so often, at any moment; then everything has to be right. */
export const killedAgainAndAgain = async (kills: number, house: number): Promise<void> => {
  const random = chance(`kills of house ${house}`);
  const { simulator, dir, recorder, brokerUrl, start, reads, posts } = await processSystem({ overrides: { poll: { seconds: 1 } } });
  const begun = new Set<string>();
  let next = 0;
  const write = async (): Promise<void> => {
    const args = { slope: (2 + (next % 30)) / 10, shift: Math.floor(next / 30) };
    next += 1;
    await recorder.publish(CALL, JSON.stringify({ value: args, id: String(next) }));
  };
  for (let run = 0; run < kills; run += 1) {
    if (run % 5 === 0) simulator.control({ command: 'expire_tokens' });
    simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value: run / 10 });
    if (run % 3 === 0) simulator.control({ command: 'lag', ms: random() * 100 });
    const from = recorder.heard.length;
    const bridge = start();
    if (run % 4 === 0) await sleep(random() * 500);
    else {
      await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/state' && payload === 'online', from);
      await Promise.race([
        recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from),
        sleep(random() * 300),
      ]);
      const sent = posts().length;
      await write();
      if (run % 2 === 0) await write();
      for (let waited = 0; posts().length === sent && waited < 500; waited += 5) await sleep(5);
      await sleep(random() * 30);
    }
    await bridge.end('SIGKILL');
    for (const id of sentIn(dir)) begun.add(id);
    expect(presumedCallsIn(dir)).toBeGreaterThanOrEqual(reads() + posts().length);
  }
  const from = recorder.heard.length;
  const last = start();
  await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
  simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value: -17.5 });
  await recorder.untilTopic('heating2mqtt/home/heating/sensors/temperature/outside/value', '-17.5', from);
  const answered = () =>
    new Set(
      recorder.heard
        .filter((heard) => heard.topic === DEVICE_RESULT && isTerminal(resultIn(heard)))
        .map((heard) => String(resultIn(heard).id)),
    );
  const open = () => [...begun].filter((id) => !answered().has(id));
  for (let waited = 0; open().length > 0 && waited < 5000; waited += 50) await sleep(50);
  expect(open()).toEqual([]);
  await barrier({ recorder });
  expect(await last.end('SIGTERM')).toBe(0);

  expect(begun.size).toBeGreaterThan(kills / 10);
  const bodies = posts().map(({ body }) => body);
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(bodies.length).toBeLessThanOrEqual(next);
  expect((await readTokens(dir))?.refresh_token).toEqual(expect.any(String));
  expect(recorder.heard.filter(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('login_needed'))).toEqual([]);
  const seen = featureTopics(await retainedOn(brokerUrl), 'heating2mqtt/home');
  const wanted = stateOf('heating2mqtt/home', await recordsFrom(simulator, '0'));
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [topic, payload] of wanted) if (payload) expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  expect((await recordsFrom(simulator, '0')).some(({ feature }) => feature === CURVE)).toBe(true);
};
