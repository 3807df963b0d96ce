import { expect, test } from 'vitest';
import { typedValues } from '../../../../../src/bridge/writes/answers/typedValues.ts';

/** What becomes of a topic after a write that hubs made, which this code refuses. */
const after = (stateTopic: string, code: string): readonly string[] => {
  const done: string[] = [];
  const publisher = {
    topics: { wanted: new Set([stateTopic]) },
    show: (topic: string): void => void done.push(`show ${topic}`),
    interrupt: (topic: string, payload: string): void => void done.push(`interrupt ${topic} '${payload}'`),
  };
  const message = { topic: `${stateTopic}/set`, payload: Buffer.from('off') };
  const write = typedValues(publisher, { sleep: () => Promise.resolve() }, new AbortController().signal);
  write(message, stateTopic, { status: 'rejected', code });
  return done;
};

test('a mode of hot water that the circuits decide about goes back on the screen, which is offered though nothing writes it', () => {
  const water = 'b/home/heating/dhw/water_heater/mode';
  expect(after(water, 'not_writable')).toEqual([`show ${water}/field`, `interrupt ${water} ''`]);
  const sensor = 'b/home/heating/sensors/temperature/outside/value';
  expect(after(sensor, 'not_writable')).toEqual([`show ${sensor}`, `show ${sensor}/field`]);
  expect(after(sensor, 'invalid')).toEqual([`show ${sensor}/field`, `interrupt ${sensor} ''`]);
});
