import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { untilSo } from '../../support/system/untilSo.ts';
import { sameClock } from '../../support/time/sameClock.ts';
import { freePort } from '../../support/web/setupWorld.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

type Running = {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly until: (text: string) => Promise<void>;
};
type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly out: string; readonly err: string };

const emptyFolder = (): string => {
  const cwd = mkdtempSync(join(tmpdir(), 'heating2mqtt-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
};

/** Starts the real program in a folder of its own, with nothing of this process's settings. */
const start = (
  args: readonly string[],
  { env = {}, cwd = emptyFolder() }: { env?: Record<string, string>; cwd?: string } = {},
): Running => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...sameClock(), HOME: cwd, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const until = (text: string): Promise<void> => untilSo(() => out.includes(text));
  return { child, out: () => out, err: () => err, until };
};

const end = async ({ child, out, err }: Running): Promise<Ended> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, out: out(), err: err() };
};

const run = (args: readonly string[], options: Parameters<typeof start>[1] = {}): Promise<Ended> => end(start(args, options));

const NO_STACK = /^ {4}at /m;

describe('heating2mqtt at a terminal', () => {
  it('shows its version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: `${packageFile.version}\n`, err: '' });
  });
  it('shows help on standard output when asked, else on standard error with exit code 2', async () => {
    const asked = await run(['--help']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toContain('Usage: heating2mqtt <command> [options]');
    expect(await run([])).toMatchObject({ code: 2, out: '', err: asked.out });
  });
  it('says in one sentence what was typed wrong, with exit code 2', async () => {
    expect(await run(['rnu'])).toMatchObject({
      code: 2,
      out: '',
      err: 'There is no command rnu: did you mean run? `heating2mqtt --help` explains.\n',
    });
  });
  it('shows every setting, a short file, one with every setting, and a JSON Schema of it', async () => {
    const table = await run(['settings']);
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/^SETTING +DEFAULT +ENVIRONMENT VARIABLE\n/);
    expect(table.out).toMatch(/^mqtt\.url +mqtt:\/\/localhost:1883 +HEATING2MQTT_MQTT_URL\n {4}Address of the broker/m);
    const short = await run(['settings', '--yaml']);
    expect(short.out).toMatch(/^# Settings of heating2mqtt\..*\n(?:.*\n){9}$/);
    const { out } = await run(['settings', '--all']);
    expect(await run(['settings', '--yaml', '--all'])).toMatchObject({ code: 0, out });
    expect(out).toMatch(/^# yaml-language-server: \$schema=schema\.json\n# Settings of heating2mqtt/);
    const schema = await run(['settings', '--schema']);
    expect(JSON.parse(schema.out)).toMatchObject({ title: 'Settings of heating2mqtt', additionalProperties: false });
  });
  it('ends quietly when nobody reads on', async () => {
    const running = start(['settings']);
    running.child.stdout?.destroy();
    expect(await end(running)).toMatchObject({ code: 0, err: '' });
  });
});

describe('settings that are wrong', () => {
  it('are told all at once with exit code 2, without a stack trace, by every command that needs them', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, 'wrong.yaml'),
      'poll: { seconds: fast }\nmqtt: { ulr: x }\nplatform: { base_url: "https://a.test", auth_url: "https://b.test", client_id: c }\n',
    );
    const ended = await Promise.all(
      [['run'], ['check'], ['login']].map((args) => run([...args, '--config', 'wrong.yaml', '--debug'], { cwd })),
    );
    for (const { code, err, out } of ended) {
      expect(code).toBe(2);
      expect(`${out}${err}`).toContain('  wrong.yaml:1 poll.seconds: "fast" is not a number; allowed: auto, or 1 to 86400\n');
      expect(`${out}${err}`).toContain('  wrong.yaml:2 mqtt.ulr: there is no such setting; nearest: mqtt.url;');
      expect(`${out}${err}`).not.toMatch(NO_STACK);
    }
    expect(ended[0]?.err).toContain('devices: is missing');
    expect(ended[2]?.err).not.toContain('devices: is missing');
  });
  it('are shown how to begin where there are none and no page may make them', async () => {
    const { code, err } = await run(['run'], { env: { HEATING2MQTT_WEB_ENABLED: 'false' } });
    expect(code).toBe(2);
    expect(err).toContain('Begin with `heating2mqtt settings --yaml`.');
  });
});

describe('heating2mqtt run without any settings', () => {
  it('serves the page alone, which is healthy, and stops at a signal', async () => {
    const env = { HEATING2MQTT_WEB_PORT: String(await freePort()), HEATING2MQTT_WEB_LISTEN: '127.0.0.1' };
    expect(await run(['check', '--health'], { env })).toMatchObject({ code: 1, out: expect.stringContaining('FAIL set-up') });
    const running = start(['run'], { env });
    await untilSo(() => running.err().includes('the page is served here'));
    expect(running.err()).toContain('there are no settings yet');
    expect(await run(['check', '--health'], { env })).toMatchObject({ code: 0, out: expect.stringContaining('ok   set-up') });
    const answer = await fetch(`http://127.0.0.1:${env.HEATING2MQTT_WEB_PORT}/api/session`);
    expect(await answer.json()).toMatchObject({ mode: expect.stringMatching(/^(?:setup|code)$/) });
    running.child.kill('SIGTERM');
    expect(await end(running)).toMatchObject({ code: 0 });
  });
  it.each([
    ['a mistake in the environment', { HEATING2MQTT_POLL_SECONDS: 'soon' }, 'poll.seconds'],
    ['the page turned off', { HEATING2MQTT_WEB_ENABLED: 'false' }, 'platform.client_id'],
  ])('ends with what is wrong for %s', async (_, env, key) => {
    expect(await run(['run'], { env })).toMatchObject({ code: 2, err: expect.stringContaining(key) });
  });
});

describe('heating2mqtt simulate', () => {
  it('serves what it prints, and stops at Ctrl-C', async () => {
    const simulate = start(['simulate', '--lag', '1.5', '--wrapped']);
    await simulate.until('Ctrl-C stops it.');
    const [, token, features] = /curl -H 'Authorization: (.*)' (\S+)/.exec(simulate.out()) ?? [];
    const read = await fetch(features ?? '', { headers: { authorization: token ?? '' } });
    expect(await read.json()).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ feature: expect.any(String) })]) });
    const commands = [...simulate.out().matchAll(/curl (\S+) -H 'Content-Type: application\/json' -d '(.*)'/g)];
    expect(commands).toHaveLength(2);
    for (const [, url, body] of commands) {
      const answer = await fetch(url ?? '', { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? '' });
      expect(answer.status).toBe(200);
    }
    const [, counts] = /curl (\S+\/control\/calls)/.exec(simulate.out()) ?? [];
    expect(await (await fetch(counts ?? '')).json()).toMatchObject({ total: 1 });
    simulate.child.kill('SIGINT');
    expect(await end(simulate)).toMatchObject({ code: 0, signal: null, err: '' });
  });
  it('registers the client and the address it is told, and has further gateways', async () => {
    const simulate = start(['simulate', '--client-id', 'mine', '--redirect-uri', 'http://localhost:8080/back', '--more-gateways', '1']);
    await simulate.until('Ctrl-C stops it.');
    expect(simulate.out()).toContain('gateway 7571381699991111 (and 7571381699991112)');
    const url = /is at (\S+)/.exec(simulate.out())?.[1] ?? '';
    expect(simulate.out()).toContain(`auth_url: ${url}, client_id: mine }`);
    const login = (redirect_uri: string) => {
      const query = new URLSearchParams({
        client_id: 'mine',
        redirect_uri,
        response_type: 'code',
        code_challenge: 'x'.repeat(43),
        scope: 'IoT',
      });
      return fetch(`${url}/idp/v3/authorize?${query}`, {
        redirect: 'manual',
        headers: { authorization: `Basic ${btoa('anna:secret')}` },
      });
    };
    for (const known of ['http://localhost:8080/back', 'http://localhost:4200/', 'http://localhost:51125']) {
      expect((await login(known)).headers.get('location'), known).toContain('?code=');
    }
    expect((await login('http://localhost:8080/')).status).toBe(400);
    simulate.child.kill('SIGTERM');
    expect(await end(simulate)).toMatchObject({ code: 0 });
  });
  it('stops at SIGTERM too', async () => {
    const simulate = start(['simulate']);
    await simulate.until('Ctrl-C stops it.');
    simulate.child.kill('SIGTERM');
    expect(await end(simulate)).toMatchObject({ code: 0 });
  });
  it('says what is wrong with a port and with a folder', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    expect(await run(['simulate', '--port', port])).toMatchObject({
      code: 2,
      err: `Port ${port} is taken; without --port any free one is used.\n`,
    });
    expect(await run(['simulate', '--port', '1e3'])).toMatchObject({ code: 2, err: '--port 1e3 is not a whole number from 0 to 65535.\n' });
    expect(await run(['simulate', '--lag', '-1'])).toMatchObject({
      code: 2,
      err: '--lag needs a value: --lag SECONDS. `heating2mqtt simulate --help` explains.\n',
    });
    const nowhere = await run(['simulate', '--recorded', 'nowhere']);
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.err).toMatch(/^--recorded nowhere cannot be served: /);
  });
});
