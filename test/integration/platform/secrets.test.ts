import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { listen, type MqttRecorder } from '../../support/network/mqttRecorder.ts';
import { BRIDGE_RESULT, barrier, terminalFor } from '../../support/schedules/writing.ts';
import { valuesIn } from '../../support/system/database.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { startProcess } from '../../support/system/process.ts';
import { testSettings } from '../../support/system/testSystem.ts';

const AUTH = 'heating2mqtt/bridge/auth';
const PASSWORD = 'the-password-of-the-broker';
/** Files that are there to hold secrets, and the one of the test's own. */
const KEEPERS: ReadonlySet<string> = new Set(['tokens.json', 'heating2mqtt.db', 'heating2mqtt.db-wal', 'settings.yaml']);

const authOf = async (recorder: MqttRecorder, fits: (auth: Readonly<Record<string, string>>) => boolean, from: number) =>
  JSON.parse((await recorder.until(({ topic, payload }) => topic === AUTH && payload !== '' && fits(JSON.parse(payload)), from)).payload);

test('no token, code, verifier, redirected address or password is in the log, in topics, in what check says or in other files', async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ rotateRefreshTokens: true });
  onTestFinished(() => simulator.close());
  const dir = emptyFolder();
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const settings = testSettings(
    simulator,
    broker.url,
    dir,
    { features: ['*'] },
    { platform: { login_over_mqtt: true }, mqtt: { username: 'the-user', password: PASSWORD } },
  );
  const secrets = new Set([PASSWORD]);
  const note = async (): Promise<{ readonly access: string; readonly refresh: string }> => {
    const tokens = await readTokens(dir);
    const [access, refresh] = [tokens?.access_token ?? '', tokens?.refresh_token ?? ''];
    if (access) secrets.add(access);
    if (refresh) secrets.add(refresh);
    return { access, refresh };
  };
  const bridge = startProcess(settings);
  onTestFinished(() => void bridge.end('SIGKILL'));

  // A login over MQTT: one that fails with words that repeat what was sent, and one that works.
  const first = await authOf(recorder, ({ login_url: url }) => url !== undefined, 0);
  await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain);
  const logInAgain = async (url: string): Promise<string> => {
    const verifier = String(valuesIn(dir, 'logins').get('pending')?.['code_verifier']);
    const back = await logInAt(url);
    const code = new URL(back).searchParams.get('code') ?? '';
    for (const secret of [verifier, code, back]) secrets.add(secret);
    if (url === first.login_url) {
      const body = { error: 'invalid_request', error_description: `code ${code} with verifier ${verifier} is not good` };
      simulator.control({ command: 'fault', times: 1, match: { path: '/token' }, status: 400, body });
    }
    const from = recorder.heard.length;
    await recorder.publish(`${AUTH}/set`, back);
    return (await terminalFor(recorder, `${AUTH}/set`, from, BRIDGE_RESULT)).status;
  };
  const from = recorder.heard.length;
  expect(await logInAgain(first.login_url)).toBe('failed');
  const second = await authOf(recorder, ({ login_url: url }) => url !== undefined && url !== first.login_url, from);
  expect(await logInAgain(second.login_url)).toBe('applied');
  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/home/heating/'));

  // Answers that repeat the token they came for.
  const { access } = await note();
  const words = { status: 400, body: { errorType: 'X', message: `Bearer ${access} may not do this` } };
  simulator.control({ command: 'fault', times: 1, match: { path: '/features$' }, ...words });
  await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  simulator.control({ command: 'fault', times: 1, match: { method: 'POST', path: '/commands/' }, ...words });
  await recorder.publish('heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve', '{"slope":2.3,"shift":7}');
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('may not do this'));

  /** Asks for polls until the login stands so. */
  const untilAuth = async (wanted: string, since: number): Promise<void> => {
    const ask = setInterval(() => void recorder.publish('heating2mqtt/bridge/poll/set', 'home'), 300);
    try {
      await authOf(recorder, ({ state }) => state === wanted, since);
    } finally {
      clearInterval(ask);
    }
  };
  // A renewal that fails with its refresh token in the words, as JSON and as a page, and then one that works.
  for (const status of [503, 400]) {
    const { refresh } = await note();
    const body = { error: 'temporarily_unavailable', error_description: `refresh token ${refresh} cannot be used` };
    simulator.control({ command: 'fault', times: 1, match: { path: '/token' }, status, body });
    simulator.control({ command: 'expire_tokens' });
    const since = recorder.heard.length;
    await untilAuth('failing', since);
    await untilAuth('ok', since);
    await note();
  }
  simulator.control({ command: 'revoke_refresh_tokens' });
  simulator.control({ command: 'expire_tokens' });
  await untilAuth('login_needed', recorder.heard.length);
  await barrier({ recorder });
  await note();

  const check = async (config: string): Promise<string> => {
    const { out, err } = await runCommand(['check', '--config', config], { cwd: dir });
    return `${out}${err}`;
  };
  const file = join(dir, 'settings.yaml');
  const beside = await check(file);
  expect(await bridge.end('SIGTERM')).toBe(0);
  const alone = await check(file);
  await broker.close();
  const withoutBroker = await check(file);

  const heard = recorder.heard.filter(({ topic }) => topic !== `${AUTH}/set`);
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(dir, name)).isFile());
  const places = {
    log: bridge.log(),
    topics: JSON.stringify(heard),
    check: [beside, alone, withoutBroker].join('\n'),
    ...Object.fromEntries(names.filter((name) => !KEEPERS.has(name)).map((name) => [name, readFileSync(join(dir, name), 'utf8')])),
  };
  expect(secrets.size).toBeGreaterThan(9);
  const found = Object.entries(places).flatMap(([place, text]) =>
    [...secrets].flatMap((secret) => {
      const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64')];
      const at = forms.map((form) => text.indexOf(form)).find((index) => index >= 0);
      return at === undefined ? [] : [`${place}: ${text.slice(Math.max(0, at - 150), at)}…`];
    }),
  );
  expect(found).toEqual([]);
  expect(places.log.length).toBeGreaterThan(1000);
  expect(places.check).toContain('FAIL');
  for (const name of names) if (name !== 'settings.yaml') expect([name, statSync(join(dir, name)).mode & 0o077]).toEqual([name, 0]);
});
