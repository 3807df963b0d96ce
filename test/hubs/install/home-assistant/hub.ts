#!/usr/bin/env node
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../../support/network/freePort.ts';
import { neededProgram } from '../../../support/programs.ts';
import { end, launch, startMosquitto, until } from '../processes.ts';

/** The scripts `start`, `restart`, `stop` and `ha.mjs` are links to this file; which one it is, its name says. */
const HERE = import.meta.dirname;
const STATE = 'hub.json';
/** Its own mounts: nothing stays mounted afterwards. */
const ENTER = 'mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; mount --rbind /tmp "$0/tmp"; cd /; exec chroot "$0" "$@"';

type Hub = { mqttUrl: string; haUrl: string; token: string; configDir: string; log: string; ha?: number; mosquitto?: number };
type Json = Record<string, unknown>;

const root = (): string => execFileSync(join(HERE, 'setup'), { encoding: 'utf8' }).trim();
const inside = (command: readonly string[]): readonly string[] => {
  const env = ['/usr/bin/env', '-i', 'HOME=/root', 'LANG=C.UTF-8', 'PATH=/opt/ha/bin:/usr/local/bin:/usr/bin:/bin'];
  return ['--mount', '--propagation', 'private', 'sh', '-ec', ENTER, root(), ...env, ...command];
};

const request = async ({ haUrl, token }: Hub, path: string, body?: object): Promise<unknown> => {
  const isForm = body instanceof URLSearchParams;
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
  };
  const method = body ? 'POST' : 'GET';
  const response = await fetch(haUrl + path, { method, headers, ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : []);

const ask = ({ haUrl, token }: Hub, question: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${haUrl.replace('http', 'ws')}/api/websocket`);
    socket.addEventListener('error', () => reject(new Error(`${haUrl} does not answer`)));
    socket.addEventListener('message', ({ data }) => {
      const { type, success, result, error } = object(JSON.parse(String(data)));
      if (type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: token }));
      if (type === 'auth_ok') socket.send(JSON.stringify({ id: 1, ...question }));
      if (type !== 'result') return;
      socket.close();
      if (success) resolve(result);
      else reject(new Error(JSON.stringify(error)));
    });
  });

const entries = async (hub: Hub): Promise<readonly Json[]> => list(await request(hub, '/api/config/config_entries/entry?domain=mqtt'));

/** Makes the first user, and a token that lasts. */
const onboard = async (hub: Hub): Promise<string> => {
  const client_id = `${hub.haUrl}/`;
  const user = { name: 'Test', username: 'test', password: 'of-the-test', client_id, language: 'en' };
  const { auth_code: code } = object(await request(hub, '/api/onboarding/users', user));
  const grant = new URLSearchParams({ grant_type: 'authorization_code', code: String(code), client_id });
  const { access_token: token } = object(await request(hub, '/auth/token', grant));
  return String(await ask({ ...hub, token: String(token) }, { type: 'auth/long_lived_access_token', client_name: 'test', lifespan: 3650 }));
};

const addMqtt = async (hub: Hub): Promise<void> => {
  const { hostname: broker, port, username, password } = new URL(hub.mqttUrl);
  const flow = '/api/config/config_entries/flow';
  let step = object(await request(hub, flow, { handler: 'mqtt', show_advanced_options: true }));
  if (step['type'] === 'menu') step = object(await request(hub, `${flow}/${step['flow_id']}`, { next_step_id: 'broker' }));
  const login = username ? { username, password } : {};
  const other_settings = { set_client_cert: false, set_ca_cert: 'off', transport: 'tcp' };
  step = object(await request(hub, `${flow}/${step['flow_id']}`, { broker, port: Number(port), protocol: '5', ...login, other_settings }));
  if (step['type'] !== 'create_entry') throw new Error(`MQTT cannot be added: ${JSON.stringify(step)}`);
};

/** Tests put lines of their own below `homeassistant:`. */
const CONFIGURATION = `homeassistant:
  name: Test
  unit_system: metric
  currency: EUR
  country: DE
  language: en
  time_zone: Europe/Berlin
  latitude: 50
  longitude: 8
  elevation: 100
api:
config:
websocket_api:
logger: {default: warning, logs: {homeassistant.components.mqtt: debug}}
`;

const configure = (hub: Hub): void => {
  const storage = (name: string, version: number, data: object, more: object = {}): void =>
    writeFileSync(join(hub.configDir, '.storage', name), JSON.stringify({ version, minor_version: 1, key: name, data, ...more }));
  mkdirSync(join(hub.configDir, '.storage'), { recursive: true });
  const port = Number(new URL(hub.haUrl).port);
  if (existsSync(join(hub.configDir, 'configuration.yaml'))) return;
  writeFileSync(join(hub.configDir, 'configuration.yaml'), CONFIGURATION);
  // In this version of the file, all steps but the user count as done; the others add integrations that call out.
  storage('onboarding', 1, { done: [] });
  storage('core.network', 1, { configured_adapters: ['lo'] });
  // A port of configuration.yaml would be a trial, which ends after 5 minutes.
  const stable = {
    ...{ server_host: ['127.0.0.1'], server_port: port, cors_allowed_origins: [], login_attempts_threshold: -1, ip_ban_enabled: false },
    ...{
      ssl_profile: 'intermediate_v6',
      use_x_frame_options: true,
      created_at: new Date().toISOString(),
      error: null,
      error_message: null,
    },
  };
  storage('http', 3, { stable, pending: null, yaml_migration_done: true });
};

const save = (hub: Hub): void => writeFileSync(join(hub.configDir, STATE), JSON.stringify(hub), { mode: 0o600 });
const load = (): Hub => JSON.parse(readFileSync(join(process.env['HA_JSON'] ?? '', STATE), 'utf8'));

/** Starts Home Assistant; resolves after its birth message. */
const launchHub = async (hub: Hub): Promise<void> => {
  const { hostname, port, username, password } = new URL(hub.mqttUrl);
  const login = username ? ['-u', decodeURIComponent(username), '-P', decodeURIComponent(password)] : [];
  const watch = spawn(neededProgram('mosquitto_sub'), ['-h', hostname, '-p', port, ...login, '-R', '-t', 'homeassistant/status']);
  let births = '';
  watch.stdout.on('data', (data) => {
    births += String(data);
  });
  try {
    const pid = launch('unshare', inside(['hass', '--config', hub.configDir, '--skip-pip', '--log-no-color']), hub.log, '/');
    hub.ha = pid;
    const isUp = (): Promise<boolean> =>
      request(hub, hub.token ? '/api/' : '/api/onboarding').then(
        () => true,
        () => false,
      );
    await until('Home Assistant', pid, hub.log, isUp);
    hub.token ||= await onboard(hub);
    if ((await entries(hub)).length === 0) await addMqtt(hub);
    await until('its birth', pid, hub.log, () => births.includes('online'));
  } finally {
    watch.kill();
    save(hub);
  }
};

const start = async (configDir: string): Promise<void> => {
  mkdirSync(configDir, { recursive: true });
  const before: Hub | undefined = existsSync(join(configDir, STATE)) ? JSON.parse(readFileSync(join(configDir, STATE), 'utf8')) : undefined;
  const url = process.env['MQTT_URL'];
  const haUrl = before?.haUrl ?? `http://127.0.0.1:${await freePort()}`;
  const mqttUrl = url ?? before?.mqttUrl ?? `mqtt://127.0.0.1:${await freePort()}`;
  const hub: Hub = { mqttUrl, haUrl, token: before?.token ?? '', configDir, log: join(configDir, 'hass.log') };
  if (url === undefined) hub.mosquitto = await startMosquitto(configDir, Number(new URL(mqttUrl).port));
  configure(hub);
  await launchHub(hub);
  console.log(JSON.stringify(hub));
};

const LEVEL = /^\S+ \S+ (?:WARNING|ERROR|CRITICAL) \(.*?\) \[(\S+)\]/;
const REFUSED = /(?:No matching payload found|Empty template output) for entity/;
const CONCERNED = /mqtt|template|entit(?:y|ies)|homeassistant\.(?:helpers|util|core|exceptions)/i;

/** Warnings and errors that a publisher can cause, with the lines that follow each. */
const problems = (text: string): readonly string[] =>
  text.split(/\n(?=\d{4}-\d\d-\d\d )/).filter((record) => (LEVEL.test(record) ? CONCERNED.test(record) : REFUSED.test(record)));

const show = async (what: string | undefined, since: number): Promise<void> => {
  const hub = load();
  const print = (rows: readonly Json[]): void => console.log(rows.map((row) => JSON.stringify(row)).join('\n'));
  if (what === 'log-size') console.log(statSync(hub.log).size);
  else if (what === 'entities')
    print(list(await ask(hub, { type: 'config/entity_registry/list' })).filter((one) => one['platform'] === 'mqtt'));
  else if (what === 'devices') {
    const [entry] = await entries(hub);
    const isOf = ({ config_entry_id: one, config_entries: several }: Json): boolean =>
      one === entry?.['entry_id'] || (Array.isArray(several) && several.includes(entry?.['entry_id']));
    print(list(await ask(hub, { type: 'config/device_registry/list' })).filter(isOf));
  } else {
    const found = problems(readFileSync(hub.log).subarray(since).toString());
    if (found.length === 0) return;
    console.log(found.join('\n'));
    process.exitCode = 1;
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'config-dir': { type: 'string', default: '' }, since: { type: 'string', default: '0' }, remove: { type: 'boolean' } },
});

switch (basename(process.argv[1] ?? '')) {
  case 'start':
    await start(values['config-dir']);
    break;
  case 'restart': {
    const hub = load();
    await end(hub.ha);
    await launchHub(hub);
    break;
  }
  case 'stop': {
    const hub = load();
    await end(hub.ha);
    await end(hub.mosquitto);
    if (values.remove) rmSync(hub.configDir, { recursive: true });
    break;
  }
  case 'ha.mjs':
    await show(positionals[0], Number(values.since));
    break;
  default:
    throw new Error(`${dirname(process.argv[1] ?? '')} has no such script`);
}
