import { expect, onTestFinished, test } from 'vitest';
import { brokerThat, endsAtDot } from '../../support/network/ruledBroker.ts';
import { SCHEDULE, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

/** Two devices of a home, one with a dot in its name, at a broker that ends the connection at each topic with a dot. */
const dotted = async (): Promise<TestSystem> => {
  const brokerUrl = await brokerThat(endsAtDot);
  const of = { installation: '111222', gateway: '7571381699991111', exclude: [] };
  const devices = [
    { ...of, name: 'my.home', device: '0', features: [SCHEDULE] },
    { ...of, name: 'rooms', device: 'RoomControl-1', features: ['*'] },
  ];
  const system = await startTestSystem({ brokerUrl, overrides: { devices } });
  onTestFinished(() => system.close());
  return system;
};

test('at a broker that ends the connection at each topic with a dot, all other topics are there, and the name to change is said once', async () => {
  const { recorder, logged, untilSo } = await dotted();
  const problems = (): { readonly broker?: object } => JSON.parse(recorder.last('heating2mqtt/bridge/problems') ?? '{}');
  await untilSo(() => problems().broker !== undefined);
  expect(problems().broker).toEqual({ message: expect.stringContaining('Rename them in the settings'), dots: true });
  await recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  expect(recorder.last('heating2mqtt/bridge/state')).toBe('online');
  expect(recorder.last('heating2mqtt/rooms/availability')).toBe('online');
  const told = logged.filter(({ level }) => level === 'warn' || level === 'error');
  expect(told.filter(({ sentence }) => sentence.includes('name without "."'))).toHaveLength(1);
  expect(told.filter(({ sentence }) => sentence.includes('another client'))).toEqual([]);
  expect(told.filter(({ sentence }) => sentence === 'connection to the broker lost')).toHaveLength(2);
});
