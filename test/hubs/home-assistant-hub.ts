import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Message } from '../../src/shared/message.ts';

const SCRIPTS = path.join(process.env['HUBS'] ?? '', 'home-assistant');
const run = promisify(execFile);

export type State = { readonly entity_id: string; readonly state: string; readonly attributes: Readonly<Record<string, unknown>> };
export type Registered = { readonly entity_id: string; readonly unique_id: string; readonly disabled_by: string | null };

/** A running Home Assistant with its Mosquitto; `stop` ends both and deletes what they wrote. */
export type Hub = {
  readonly mqttUrl: string;
  readonly url: string;
  /** Of the first user; a browser's script logs in with it. */
  readonly token: string;
  /** The folder with `configuration.yaml`. */
  readonly configDir: string;
  /** Every state, by entity id. */
  states(): Promise<ReadonlyMap<string, State>>;
  /** Every MQTT entity that is known, the disabled ones too, by unique id. */
  registered(): Promise<ReadonlyMap<string, Registered>>;
  /** Every device of MQTT that is known: its id by its name. */
  devices(): Promise<ReadonlyMap<string, string>>;
  call(service: string, data: object): Promise<void>;
  /** Makes a state by hand, as an integration does it. */
  put(entity: string, state: string, attributes?: object): Promise<void>;
  /** What the REST interface answers at an address below `api/`. */
  get(address: string): Promise<string>;
  /** One question on the websocket. */
  ask(question: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  render(template: string, variables: object): Promise<string>;
  /** Ends and starts Home Assistant, the broker goes on; resolves after its birth. */
  restart(): Promise<void>;
  /** Ends Home Assistant, does this work on its files, and starts it again; for one that was given a broker. */
  whileStopped(work: () => void): Promise<void>;
  /** Warnings and errors since the last look, and payloads that entities refused. */
  problems(): Promise<string>;
  stop(): Promise<void>;
};

// The hub logs every message at debug level, and Home Assistant warns of so long a log.
const OF_THE_LOG = /\[homeassistant\.util\.logging\] Module \S+ is logging too frequently/;

type Env = Readonly<Record<string, string>>;

const script = (name: string, args: readonly string[], env: Env = {}) =>
  run(path.join(SCRIPTS, name), args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });

/** All that a script wrote, also where it ends with 1 because it found something. */
const saying = async (name: string, args: readonly string[], env: Env = {}): Promise<string> => {
  try {
    const { stdout, stderr } = await script(name, args, env);
    return stdout + stderr;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1 && 'stdout' in error && 'stderr' in error) {
      return `${String(error.stdout)}${String(error.stderr)}`;
    }
    throw error;
  }
};

/** What Home Assistant's own schemas say to these documents: what they refuse, what they drop, and a line with the numbers. */
export const schemaVerdict = async (documents: readonly Message[]): Promise<string> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'documents-'));
  try {
    writeFileSync(path.join(folder, 'documents.jsonl'), documents.map((document) => JSON.stringify(document)).join('\n'));
    return await saying('schema-check', [path.join(folder, 'documents.jsonl')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

type Reply = { readonly type: string; readonly success?: boolean; readonly result?: unknown; readonly error?: unknown };

/** One question and its answer, on a websocket of its own. */
const askOn = (haUrl: string, token: string, question: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${haUrl.replace('http', 'ws')}/api/websocket`);
    socket.addEventListener('error', () => reject(new Error(`${haUrl} does not answer`)), { once: true });
    socket.addEventListener('message', ({ data }) => {
      const reply: Reply = JSON.parse(String(data));
      if (reply.type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: token }));
      if (reply.type === 'auth_ok') socket.send(JSON.stringify({ id: 1, ...question }));
      if (reply.type !== 'result') return;
      socket.close();
      if (reply.success) resolve(reply.result);
      else reject(new Error(JSON.stringify(reply.error)));
    });
  });

/**
 * Starts a new, empty Home Assistant, joined to a broker or, without one, to a new Mosquitto, with more lines of configuration. Installs it
 * where it is not there yet (minutes, the first time only).
 */
export const startHub = async (broker?: string, configuration?: string): Promise<Hub> => {
  await script('setup', []);
  const configDir = mkdtempSync(path.join(os.tmpdir(), 'home-assistant-'));
  const start = () => script('start', ['--config-dir', configDir], broker === undefined ? {} : { MQTT_URL: broker });
  const started = await start();
  const { mqttUrl, haUrl, token }: { mqttUrl: string; haUrl: string; token: string } = JSON.parse(started.stdout);
  const env = { HA_JSON: configDir };
  const restart = async (): Promise<void> => void (await script('restart', [], env));
  if (configuration !== undefined) {
    appendFileSync(path.join(configDir, 'configuration.yaml'), configuration);
    await restart();
  }
  let seen = '0';
  const rest = async (method: string, address: string, body?: object): Promise<Response> => {
    const response = await fetch(`${haUrl}/api/${address}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`);
    return response;
  };
  const listed = async <T>(what: string): Promise<readonly T[]> =>
    ((await script('ha.mjs', [what], env)).stdout.match(/.+/g) ?? []).map((line): T => JSON.parse(line));
  return {
    mqttUrl,
    url: haUrl,
    token,
    configDir,
    states: async () => {
      const states: readonly State[] = JSON.parse(await (await rest('GET', 'states')).text());
      return new Map(states.map((state) => [state.entity_id, state]));
    },
    registered: async () => new Map((await listed<Registered>('entities')).map((entity) => [entity.unique_id, entity])),
    devices: async () =>
      new Map((await listed<{ readonly name: string; readonly id: string }>('devices')).map(({ name, id }) => [name, id])),
    put: async (entity, state, attributes = {}) => void (await rest('POST', `states/${entity}`, { state, attributes })),
    get: async (address) => (await rest('GET', address)).text(),
    ask: (question) => askOn(haUrl, token, question),
    call: async (service, data) => void (await rest('POST', `services/${service.replace('.', '/')}`, data)),
    render: async (template, variables) => (await rest('POST', 'template', { template, variables })).text(),
    problems: async () => {
      const lines = (await saying('ha.mjs', ['log-problems', '--since', seen], env)).split('\n');
      seen = (await script('ha.mjs', ['log-size'], env)).stdout.trim();
      return lines.filter((line) => line !== '' && !OF_THE_LOG.test(line)).join('\n');
    },
    restart,
    whileStopped: async (work) => {
      await script('stop', [], env);
      work();
      await start();
    },
    stop: async () => void (await script('stop', ['--remove'], env)),
  };
};

/** Ends what was started, in this order. */
export const endAll = async (
  ...started: readonly ({ close(): Promise<void> } | { stop(): Promise<void> } | undefined)[]
): Promise<void> => {
  for (const one of started) await (one && 'close' in one ? one.close() : one?.stop());
};
