import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askHolder } from '../../src/storage/lock.ts';
import { terminalFor } from '../support/schedules/writing.ts';
import { CANARY_TOPIC } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';

const CALL = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';

test('of two processes on one folder the second is refused, also after a clean-up has deleted lock and socket; within that minute the first gives way', {
  timeout: 240_000,
}, async () => {
  const { dir, recorder, start, started } = await processSystem();
  const first = await started();
  await recorder.untilTopic(CANARY_TOPIC);
  const refused = start();
  await once(refused.child, 'exit');
  expect([refused.child.exitCode, refused.log()]).toEqual([
    2,
    expect.stringContaining(`another heating2mqtt is running with data_dir ${dir}`),
  ]);

  for (const name of ['bridge.lock', 'bridge.sock']) rmSync(join(dir, name));
  const second = start();
  await once(first.child, 'exit');
  expect([first.child.exitCode, first.log()]).toEqual([
    2,
    expect.stringContaining(`another heating2mqtt was started with data_dir ${dir}`),
  ]);
  expect(await askHolder(dir)).toMatchObject({ auth: 'ok' });
  await expect.poll(() => recorder.last('heating2mqtt/bridge/state'), { timeout: 90_000 }).toBe('online');
  const from = recorder.heard.length;
  await recorder.publish(CALL, '{"slope":1.9,"shift":1}');
  expect((await terminalFor(recorder, CALL, from)).status).toBe('applied');
  expect(await second.end('SIGTERM')).toBe(0);
  expect(readdirSync(dir).filter((name) => name.startsWith('heating2mqtt.db'))).toEqual(['heating2mqtt.db', 'heating2mqtt.db.complete']);
});
