import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { askHolder, takeLock } from '../../../src/storage/lock.ts';
import { published, restarted } from '../../support/system/outcome.ts';
import { startTestSystem } from '../../support/system/testSystem.ts';

const MINUTE_MS = 60_000;

// Windows deletes no file that is open.
test.runIf(process.platform !== 'win32')(
  'everything that a clean-up deletes in data_dir under the running bridge is there again within a minute: lock, login, database',
  async () => {
    let minute = Promise.withResolvers<void>();
    const sleep: Clock['sleep'] = (ms, signal) =>
      Promise.race([systemClock.sleep(ms, signal), ...(ms === MINUTE_MS ? [minute.promise] : [])]);
    const system = await startTestSystem({ clock: { ...systemClock, sleep } });
    onTestFinished(() => system.close());
    await published(system);
    const { data_dir: dir } = system.settings;
    const files = ['bridge.lock', 'bridge.sock', 'heating2mqtt.db', 'tokens.json'];
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(files));
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    const { resolve } = minute;
    minute = Promise.withResolvers<void>();
    resolve();
    await expect.poll(() => files.filter((name) => !existsSync(join(dir, name)))).toEqual([]);
    expect(await askHolder(dir)).toMatchObject({ broker: true });
    expect(await takeLock(dir, () => ({}))).toBeUndefined();
    await restarted(system);
    expect(system.app.status()).toMatchObject({ auth: 'ok' });
  },
);
