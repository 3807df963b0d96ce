import { expect, onTestFinished, test } from 'vitest';
import { createBridge } from '../../../src/bridge/compose.ts';
import { rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import type { Outgoing } from '../../../src/shared/message.ts';
import { bodyOf } from '../../support/devices/bodyOf.ts';
import { KeptInMemory, SETTINGS, writeStore } from '../../support/system/keptInMemory.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../support/time/fakeClock.ts';

const NAME = 'heating.dhw.temperature.main';
const VALUE = 'base/home/heating/dhw/temperature/main/value';
const DOCUMENT = 'homeassistant/device/heating2mqtt_7571381699991111_0/config';
const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };

const SET = {
  name: 'setTargetTemperature',
  uri: '/x',
  isExecutable: true,
  params: { temperature: { type: 'number', required: true, constraints: { min: 10, max: 60, stepping: 1 } } },
};

/** A bridge for one feature, with all that it does in the order in which it does it. */
const setUp = async () => {
  const clock = fakeClock();
  const done: string[] = [];
  const store = writeStore();
  const states = new Map<number, string>();
  const shows = { value: 50, max: 60 };
  const quota = rateLimiter({ per_10_minutes: 1000, per_day: 10_000, reserve_for_commands: 0 }, clock);
  const record = () => ({
    feature: NAME,
    gatewayId: DEVICE.gateway,
    deviceId: '0',
    isEnabled: true,
    isReady: true,
    properties: { value: { type: 'number', unit: 'celsius', value: shows.value } },
    commands: {
      [SET.name]: { ...SET, params: { temperature: { ...SET.params.temperature, constraints: { min: 10, max: shows.max, stepping: 1 } } } },
    },
  });
  const bridge = createBridge(
    {
      ...SETTINGS,
      ...{ base: 'base', devices: [DEVICE], read: 'device', poll: { seconds: 60, jitter: 0, gone_after_h: 24 } },
      commands: { ...SETTINGS.commands, fresh_s: 5, confirm_s: [5, 15] },
    },
    {
      platform: {
        fetchFeatures: async () => {
          quota.count();
          done.push('read');
          return bodyOf({ data: [record()] });
        },
        execute: async () => {
          quota.count();
          done.push('sent');
          return { adapted: false };
        },
      },
      connection: {
        publish: async ({ topic, payload }: Outgoing) => void done.push(topic === DOCUMENT ? 'document' : `${topic} ${payload}`),
        subscribe: async () => undefined,
        unsubscribe: async () => undefined,
        window: 100,
        refusesDots: false,
        protocol: '5',
      },
      stores: {
        ...new KeptInMemory().open({ isAlive: () => true }),
        writes: {
          ...store,
          put: (write, isDurable) => {
            const { state = '' } = write.facts as { state?: string };
            if (states.get(write.key) !== state) done.push(`write ${state}`);
            states.set(write.key, state);
            store.put(write, isDurable);
          },
          together: (work) => {
            const before = states.size;
            const result = work();
            if (states.size > before) done.push('committed');
            return { result, isKept: true };
          },
        },
      },
      quota,
      auth: () => ({ state: 'ok', since: '2026-11-21T06:00:00.000Z', message: '' }),
      clock,
      log: recordingLog([]),
    },
  );
  bridge.start();
  await bridge.connected();
  onTestFinished(async () => {
    const stopped = bridge.stop();
    await clock.pass(5000);
    await stopped;
  });
  /** What was done meanwhile, of all topics only those of the value and of the document. */
  const passed = async (ms: number): Promise<readonly string[]> => {
    await settled();
    await clock.pass(ms);
    return done.splice(0).filter((what) => !what.includes('/') || what.startsWith(`${VALUE} `));
  };
  return { shows, passed, bridge };
};

test('what was read is published, and the document follows the values', async () => {
  const { shows, passed } = await setUp();
  expect(await passed(10_000)).toEqual(['read', `${VALUE} 50`, 'document']);
  shows.value = 55;
  expect(await passed(60_000)).toEqual(['read', `${VALUE} 55`]);
});

test('a value for which the document has no room comes after the document', async () => {
  const { shows, passed } = await setUp();
  await passed(10_000);
  Object.assign(shows, { value: 70, max: 75 });
  expect(await passed(60_000)).toEqual(['read', 'document', `${VALUE} 70`]);
});

test('a write is committed before its call, and is settled by the read that shows it', async () => {
  const { shows, passed, bridge } = await setUp();
  await passed(10_000);
  const topic = 'base/home/heating/dhw/temperature/main/call/setTargetTemperature';
  bridge.received({ topic, payload: new TextEncoder().encode('45'), retain: false });
  expect(await passed(1000)).toEqual(['write sent', 'committed', 'sent', 'write accepted', `${VALUE} 45`]);
  shows.value = 45;
  expect(await passed(5000)).toEqual(['read', 'write settled']);
});

test('a value that a write did not change is shown again after the last read, although every read showed the same record', async () => {
  const { passed, bridge } = await setUp();
  await passed(10_000);
  const topic = 'base/home/heating/dhw/temperature/main/call/setTargetTemperature';
  bridge.received({ topic, payload: new TextEncoder().encode('45'), retain: false });
  expect((await passed(14_000)).filter((what) => what.startsWith(VALUE))).toEqual([`${VALUE} 45`]);
  const last = await passed(2000);
  expect(last).toEqual(['read', 'write settled', `${VALUE} 50`]);
});

test('a record that did not change is not published again', async () => {
  const { passed } = await setUp();
  await passed(10_000);
  expect(await passed(130_000)).toEqual(['read', 'read']);
});
