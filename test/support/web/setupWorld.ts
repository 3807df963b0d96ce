import { rmSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Host } from '../../../src/cli/host.ts';
import { isInContainer } from '../../../src/cli/host.ts';
import { runSetup } from '../../../src/cli/setup/runSetup.ts';
import { readSettings, type Sources } from '../../../src/config/load.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { LogRing } from '../../../src/shared/log.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { freePort } from '../network/freePort.ts';
import { logInAt } from '../system/logInAt.ts';
import { recordingLog, stillHome, tempDir } from '../system/testSystem.ts';
import { untilSo } from '../system/untilSo.ts';
import { type Asked, cookieOf, type WebReply, webClient } from './webClient.ts';

type Answer = WebReply & { readonly body: Readonly<Record<string, unknown>> };

export type SetupWorld = {
  readonly simulator: Simulator;
  readonly broker: EmbeddedBroker;
  readonly host: Host;
  readonly sources: Sources;
  readonly cwd: string;
  readonly page: string;
  readonly logged: readonly { readonly level: string; readonly facts: object; readonly sentence: string }[];
  /** The newest one-time code in the log. */
  code(): string;
  /** As the page asks, with its cookie. */
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** Sends a file. */
  send(path: string, raw: Buffer, headers: OutgoingHttpHeaders): Promise<Answer>;
  /** Gets a file. */
  download(path: string): Promise<WebReply>;
  /** Enters the code. */
  enter(): Promise<void>;
  /** Forgets the cookie. */
  leave(): void;
};

/** A bridge without settings that is reached from elsewhere, beside a simulated platform and a broker. */
export const setupWorld = async (env: Sources['env'] = {}, platform: SimulatorOptions = {}): Promise<SetupWorld> => {
  const cwd = tempDir();
  const simulator = await startSimulator({ home: stillHome, v1Retired: true, ...platform });
  const broker = await startEmbeddedBroker(0);
  const port = env.HEATING2MQTT_WEB_PORT ?? String(await freePort());
  const sources = {
    cwd,
    env: {
      HEATING2MQTT_DATA_DIR: `${cwd}/data`,
      HEATING2MQTT_WEB_PORT: port,
      HEATING2MQTT_WEB_LISTEN: '0.0.0.0',
      HEATING2MQTT_PLATFORM_PROFILE: 'v2',
      HEATING2MQTT_PLATFORM_BASE_URL: simulator.url,
      HEATING2MQTT_PLATFORM_AUTH_URL: simulator.url,
      ...env,
    },
  };
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const host = await runSetup(readSettings(sources), sources, {
    log: recordingLog(logged),
    logRing: new LogRing(),
    isContainer: isInContainer(sources),
  });
  onTestFinished(async () => {
    await host.stop();
    await simulator.close();
    await broker.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const page = `http://127.0.0.1:${port}/`;
  let cookie = '';
  const client = webClient(Number(port));
  const ask = async (path: string, sent: Asked): Promise<Answer> => {
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }), ...sent.headers };
    const reply = await client.ask(`/${path}`, { ...sent, headers });
    cookie = cookieOf(reply) || cookie;
    return { ...reply, body: reply.text.startsWith('{') ? reply.json() : {} };
  };
  const code = (): string => {
    const last = logged.findLast(({ facts }) => 'code' in facts && 'minutes' in facts)?.facts;
    return last && 'code' in last ? String(last.code) : '';
  };
  const world: SetupWorld = {
    ...{ simulator, broker, host, sources, cwd, page, logged, code },
    get: (path) => ask(path, {}),
    post: (path, body = {}) => ask(path, { body }),
    send: (path, raw, headers) => ask(path, { raw, headers }),
    download: (path) => ask(path, {}),
    enter: async () => {
      const { status } = await ask('api/code', { body: { code: code() } });
      if (status !== 204) throw new Error(`the code was refused: ${status}`);
    },
    leave: () => {
      cookie = '';
    },
  };
  return world;
};

export const PAGE_PASSWORD = 'correct horse';
const HASHED_PASSWORD = 'scrypt$zE/9x6zfSHVkMSB/fpNdTg$8VLaUeuK/w3tShERtroNW/A7+8c1KR8swCXvf3e1XgM';
export const CLIENT = { 'platform.client_id': 'heating2mqtt-demo' };

/** Logs in at the platform by the page, with the address pasted. */
export const logInByPage = async ({ post }: SetupWorld): Promise<void> => {
  const { body } = await post('api/platform/login', { changes: CLIENT });
  const answer = await post('api/platform/login/finish', { address: await logInAt(String(body['address'])) });
  if (answer.body['status'] !== 'applied') throw new Error(`not logged in: ${JSON.stringify(answer.body)}`);
};

/** A bridge that runs after a whole set-up, with the session of whoever made it. */
export const afterSetup = async (...options: Parameters<typeof setupWorld>): Promise<SetupWorld> => {
  const world = await setupWorld(...options);
  const { post, broker, simulator, host } = world;
  await world.enter();
  await logInByPage(world);
  const { installation, gateway, devices } = simulator;
  const device = { name: 'house', installation: String(installation), gateway, device: devices[0] };
  const changes = { ...CLIENT, 'mqtt.url': broker.url, 'web.password': HASHED_PASSWORD, devices: [device] };
  const kept = await post('api/setup', { changes });
  const done = await post('api/setup/finish');
  if (kept.status !== 200 || done.status !== 202) throw new Error(`not set up: ${JSON.stringify([kept.body, done.body])}`);
  await untilSo(() => host.web()?.entry() === 'password');
  return world;
};
