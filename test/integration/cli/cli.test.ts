import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createPage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { emptyFolder, runCommand, startCommand } from '../../support/cli/inProcess.ts';
import { freePort } from '../../support/network/freePort.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import { sameClock } from '../../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The real program in a folder of its own, with nothing of this process's settings. */
const start = (args: readonly string[], env: Record<string, string> = {}, cwd = emptyFolder()) => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...sameClock(), HOME: cwd, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(([, out, err]) => ({
    code: child.exitCode,
    out,
    err,
  }));
  return { child, ended };
};

const NO_STACK = /^ {4}at /m;

describe('the program', () => {
  it('shows its version, and ends with 2 and one sentence for what was typed wrong', async () => {
    const [version, wrong] = await Promise.all([start(['--version']).ended, start(['rnu']).ended]);
    expect(version).toEqual({ code: 0, out: `${packageFile.version}\n`, err: '' });
    expect(wrong).toEqual({ code: 2, out: '', err: 'There is no command rnu. Did you mean run? `heating2mqtt --help` explains.\n' });
  });
  it('run without any settings serves the page alone, which is healthy, and stops at a signal', async () => {
    const env = { HEATING2MQTT_WEB_PORT: String(await freePort()), HEATING2MQTT_WEB_LISTEN: '127.0.0.1' };
    const health = () => runCommand(['check', '--health'], { env });
    expect(await health()).toMatchObject({ code: 1, out: expect.stringContaining('FAIL set-up') });
    const { child, ended } = start(['run'], env);
    let logged = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      logged += more;
    });
    await untilSo(() => logged.includes('no settings yet'));
    expect(logged).toContain('the page is served here');
    expect(await health()).toMatchObject({ code: 0, out: expect.stringContaining('ok   set-up') });
    const answer = await fetch(`http://127.0.0.1:${env.HEATING2MQTT_WEB_PORT}/api/session`);
    expect(await answer.json()).toMatchObject({ mode: expect.stringMatching(/^(?:setup|code)$/) });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });
});

it.each([6000, 10080])('check --health asks the page at port %i too, which browsers refuse', async (port) => {
  const page = createPage((_, response) => response.end());
  onTestFinished(() => void page.close());
  page.listen(port, '127.0.0.1');
  await once(page, 'listening');
  const env = { HEATING2MQTT_WEB_PORT: String(port), HEATING2MQTT_WEB_LISTEN: '127.0.0.1' };
  expect(await runCommand(['check', '--health'], { env })).toMatchObject({ code: 0, out: expect.stringContaining('ok   set-up') });
});

it('run without any settings, reached from elsewhere, shows address and code in a frame; as a log line where that is JSON by a setting', async () => {
  const shown = async (more: Readonly<Record<string, string>>): Promise<string> => {
    const env = { HEATING2MQTT_WEB_PORT: String(await freePort()), HEATING2MQTT_WEB_LISTEN: '0.0.0.0', ...more };
    const { child, ended } = start(['run'], env);
    let logged = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      logged += text;
    });
    await untilSo(() => / the code [-\w]{15}/.test(logged) && logged.endsWith('\n'));
    child.kill('SIGTERM');
    await ended;
    return logged.replaceAll(env.HEATING2MQTT_WEB_PORT, 'PORT');
  };
  expect(await shown({})).toMatch(
    /^\+-+\+\n\| heating2mqtt has no settings yet\. +\|\n\| Open http:\/\/localhost:PORT\/ +\|\n\| and enter the code [-\w]{15} \(valid for 15 minutes, works once\)\. \|\n\+-+\+$/m,
  );
  expect(await shown({ HEATING2MQTT_LOG_FORMAT: 'json' })).toMatch(/^\{.*"code":"[-\w]{15}","minutes":15/m);
});

it('settings that the page has set otherwise than the settings file are named, in the log too', async () => {
  const cwd = emptyFolder();
  for (const folder of ['config', 'data']) mkdirSync(join(cwd, folder));
  const port = await freePort();
  writeFileSync(
    join(cwd, 'config/local.yaml'),
    `mqtt: { url: "mqtt://127.0.0.1:${port}" }\nplatform: { client_id: abc }\nweb: { enabled: true }\n`,
  );
  writeFileSync(join(cwd, 'data/settings.yaml'), `mqtt: { url: "mqtt://127.0.0.1:${port}" }\nweb: { enabled: false }\n`);
  const env = { HEATING2MQTT_DATA_DIR: join(cwd, 'data') };
  const { out } = await runCommand(['settings'], { cwd, env });
  expect(out).toContain('    Set by data/settings.yaml, line 2, which overrides config/local.yaml, line 3.\n');
  expect(out).toContain('    Set by data/settings.yaml, line 1.\n');
  writeFileSync(join(cwd, 'other.yaml'), 'poll: { seconds: 90 }\n');
  const named = await runCommand(['settings', '--config', 'other.yaml'], { cwd, env });
  expect(named.out).toContain('    Set by other.yaml, line 1.\n');
  const { child, ended } = start(['run'], env, cwd);
  let logged = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    logged += more;
  });
  await untilSo(() => logged.includes('heating2mqtt starts'));
  await untilSo(() => logged.includes('the values of the page apply'));
  expect(logged).toContain('"settings":["web.enabled"]');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

it('settings shows every setting, a short file, one with every setting, and a JSON Schema of it', async () => {
  const settings = async (...args: readonly string[]): Promise<string> => (await runCommand(['settings', ...args])).out;
  const table = await settings();
  expect(table).toMatch(/^SETTING +DEFAULT +ENVIRONMENT VARIABLE\n/);
  expect(table).toMatch(/^mqtt\.url +mqtt:\/\/localhost:1883 +HEATING2MQTT_MQTT_URL\n {4}Address of the broker/m);
  expect(await settings('--yaml')).toMatch(/^# Settings of heating2mqtt\..*\n(?:.*\n){9}$/);
  const all = await settings('--all');
  expect(await settings('--yaml', '--all')).toBe(all);
  expect(all).toMatch(/^# yaml-language-server: \$schema=schema\.json\n# Settings of heating2mqtt/);
  expect(JSON.parse(await settings('--schema'))).toMatchObject({ title: 'Settings of heating2mqtt', additionalProperties: false });
});

describe('settings that are wrong', () => {
  it('are told all at once with exit code 2, without a stack trace, by every command that needs them', async () => {
    const cwd = emptyFolder();
    const platform = 'platform: { base_url: "https://a.test", auth_url: "https://b.test", client_id: c }\n';
    writeFileSync(join(cwd, 'wrong.yaml'), `poll: { seconds: fast }\nmqtt: { ulr: x }\n${platform}`);
    for (const command of ['run', 'check', 'login']) {
      const { code, err, out } = await runCommand([command, '--config', 'wrong.yaml', '--debug'], { cwd });
      expect(code).toBe(2);
      expect(`${out}${err}`).toContain('  wrong.yaml, line 1: poll.seconds: "fast" is not a number; allowed: auto, or 1 to 86400\n');
      expect(`${out}${err}`).toContain('  wrong.yaml, line 2: mqtt.ulr: there is no such setting; nearest: mqtt.url;');
      expect(`${out}${err}`).not.toMatch(NO_STACK);
      expect(`${out}${err}`.includes('devices is missing')).toBe(command !== 'login');
    }
  });
  it.each([
    ['how to begin', { HEATING2MQTT_WEB_ENABLED: 'false' }, 'Write one with `heating2mqtt settings --yaml`'],
    ['which is missing', { HEATING2MQTT_WEB_ENABLED: 'false' }, 'platform.client_id'],
    ['a mistake in the environment', { HEATING2MQTT_POLL_SECONDS: 'soon' }, 'poll.seconds'],
  ])('are told where there is no file: %s', async (_, env, words) => {
    expect(await runCommand(['run'], { env })).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
  it('as is a data folder that is none, before a set-up that could not be kept', async () => {
    const file = join(emptyFolder(), 'file');
    writeFileSync(file, '');
    for (const words of [['run'], ['worker', '--nats', 'nats://127.0.0.1:1', '--key-file', file]]) {
      const { code, err } = await runCommand(words, { env: { HEATING2MQTT_DATA_DIR: file } });
      expect([code, err]).toEqual([2, `data_dir ${file} cannot be used: a part of its path is not a folder\n`]);
    }
  });
});

describe('heating2mqtt simulate', () => {
  it('serves what it prints, and stops at Ctrl-C', async () => {
    const { child, ended } = start(['simulate', '--lag', '1.5', '--wrapped']);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      out += more;
    });
    await untilSo(() => out.includes('Ctrl-C stops it.'));
    const [, token, features] = /curl -H 'Authorization: (.*)' (\S+)/.exec(out) ?? [];
    const read = await fetch(features ?? '', { headers: { authorization: token ?? '' } });
    expect(await read.json()).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ feature: expect.any(String) })]) });
    const commands = [...out.matchAll(/curl (\S+) -H 'Content-Type: application\/json' -d '(.*)'/g)];
    expect(commands).toHaveLength(2);
    for (const [, url, body] of commands) {
      const answer = await fetch(url ?? '', { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? '' });
      expect(answer.status).toBe(200);
    }
    const [, counts] = /curl (\S+\/control\/calls)/.exec(out) ?? [];
    expect(await (await fetch(counts ?? '')).json()).toMatchObject({ total: 1 });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
  it('registers the client and the address it is told, and has further gateways', async () => {
    const redirect = 'http://localhost:8080/back';
    const simulate = startCommand(['simulate', '--client-id', 'mine', '--redirect-uri', redirect, '--more-gateways', '1']);
    await simulate.until('Ctrl-C stops it.');
    expect(simulate.out()).toContain('gateway 7571381699991111 (and 7571381699991112)');
    const url = /is at (\S+)/.exec(simulate.out())?.[1] ?? '';
    expect(simulate.out()).toContain(`auth_url: ${url}, client_id: mine }`);
    const login = (redirect_uri: string) => {
      const asked = { client_id: 'mine', redirect_uri, response_type: 'code', code_challenge: 'x'.repeat(43), scope: 'IoT' };
      const headers = { authorization: `Basic ${btoa('anna:secret')}` };
      return fetch(`${url}/idp/v3/authorize?${new URLSearchParams(asked)}`, { redirect: 'manual', headers });
    };
    for (const known of [redirect, 'http://localhost:4200/', 'http://localhost:51125'])
      expect((await login(known)).headers.get('location'), known).toContain('?code=');
    expect((await login('http://localhost:8080/')).status).toBe(400);
    expect(await simulate.stop()).toMatchObject({ code: 0 });
  });
  it('says what is wrong with a port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const err = `Port ${port} is in use; choose another one, or leave out --port for any free port.\n`;
    expect(await runCommand(['simulate', '--port', port])).toMatchObject({ code: 2, err });
  });
});
