import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { takeLock } from '../../../src/storage/lock.ts';
import { planListeners } from '../../../src/web/security/listeners.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';

test('check --health of a worker: well without accounts, else as the first account that runs', async () => {
  const cwd = emptyFolder();
  const env = { HEATING2MQTT_DATA_DIR: cwd, HEATING2MQTT_MQTT_URL: 'mqtt://127.0.0.1:1', HEATING2MQTT_NATS: 'nats://127.0.0.1:1' };
  const health = () => runCommand(['check', '--health'], { cwd, env });
  expect(await health()).toMatchObject({ code: 0, out: expect.stringContaining('serves no account now') });
  for (const name of ['a', 'b']) mkdirSync(join(cwd, 'accounts', name), { recursive: true });
  const lock = await takeLock(join(cwd, 'accounts', 'b'), () => ({ starting: true }));
  onTestFinished(() => lock?.release());
  expect(await health()).toMatchObject({ code: 0, out: expect.stringContaining('it is just starting') });
});

const environments = {
  'compose.fleet.yaml': () => parse(readFileSync('compose.fleet.yaml', 'utf8'))['x-worker'].environment,
  'docs/fleet-nats.md': () => {
    const [, manifest = ''] = /```yaml\n(apiVersion.*?)```/s.exec(readFileSync('docs/fleet-nats.md', 'utf8')) ?? [];
    const [workers] = parseAllDocuments(manifest).map((one) => one.toJS());
    const rows: readonly { readonly name: string; readonly value?: string }[] = workers.spec.template.spec.containers[0].env;
    return Object.fromEntries(rows.map(({ name, value = 'of the Secret' }) => [name, value]));
  },
};

test.each(Object.entries(environments))('the workers of %s serve the page on which accounts are logged in', (_, environment) => {
  const { HEATING2MQTT_WEB_PASSWORD: password } = environment();
  expect(planListeners({ password }, { isContainer: true, mode: 'run' }).open?.entry).toBe('password');
});
