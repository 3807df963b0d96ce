import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

const SCRIPTS = path.join(process.env['HUBS'] ?? '', 'node-red');
const run = promisify(execFile);

/** What a node has told the editor: a message of a debug node, or the state that stands below a node. */
export type Told = { readonly node: string; readonly as: 'debug' | 'status'; readonly text: string };

/** A running Node-RED with its Mosquitto (MQTT 5); `stop` ends both and deletes what they wrote. */
export type NodeRed = {
  readonly mqttUrl: string;
  /** The editor. */
  readonly url: string;
  /** Everything that nodes have told so far. */
  readonly told: readonly Told[];
  /** Replaces all flows by those of a file and waits until their nodes are connected. */
  deploy(file: string): Promise<void>;
  /** Presses an inject node, as it is or with another payload. */
  press(node: string, payload?: unknown): Promise<void>;
  /** Resolves with the first text, told already after `from` or still to come, that fits; rejects after 20 s. */
  until(node: string, fits: (text: string) => boolean, from?: number): Promise<string>;
  /** Warnings and errors in Node-RED's log since its start. */
  problems(): readonly string[];
  stop(): Promise<void>;
};

type Event = { readonly topic: string; readonly data: Readonly<Record<string, unknown>> };

const toldBy = ({ topic, data }: Event): Told | undefined => {
  if (topic === 'debug') return { node: String(data['id']), as: 'debug', text: String(data['msg']) };
  const [, node] = /^status\/(.+)$/.exec(topic) ?? [];
  return node === undefined || data['text'] === undefined ? undefined : { node, as: 'status', text: String(data['text']) };
};

/** What the editor hears: arrays of events on one socket. */
const listen = async (url: string, told: Told[]): Promise<WebSocket> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/comms`);
  await once(socket, 'open');
  socket.addEventListener('message', ({ data }) => {
    const events: Event | readonly Event[] = JSON.parse(String(data));
    told.push(...[events].flat().flatMap((event) => toldBy(event) ?? []));
  });
  for (const topic of ['debug', 'status/#']) socket.send(JSON.stringify({ subscribe: topic }));
  return socket;
};

/** Installs Node-RED where it is not there yet (seconds, the first time only). */
export const installNodeRed = async (): Promise<void> => void (await run(path.join(SCRIPTS, 'setup'), []));

/** Starts a new Node-RED without flows, joined to a new Mosquitto. */
export const startNodeRed = async (): Promise<NodeRed> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'node-red-'));
  const file = path.join(folder, 'nr.json');
  const nr = async (...args: readonly string[]): Promise<string> =>
    (await run(process.execPath, [path.join(SCRIPTS, 'nr.mjs'), ...args], { env: { ...process.env, NR_JSON: file } })).stdout;
  writeFileSync(file, await nr('start'));
  const { mqttUrl, url, log }: { mqttUrl: string; url: string; log: string } = JSON.parse(readFileSync(file, 'utf8'));
  const told: Told[] = [];
  const socket = await listen(url, told);
  // The settings of the test installation are warned of at each start.
  const started = readFileSync(log, 'utf8').length;
  return {
    mqttUrl,
    url,
    told,
    deploy: async (flows) => void (await nr('deploy', flows)),
    press: async (node, payload) => void (await nr('inject', node, ...(payload === undefined ? [] : [JSON.stringify(payload)]))),
    until: (node, fits, from = 0) => {
      const find = (): string => {
        const found = told.slice(from).find((one) => one.node === node && fits(one.text));
        if (!found) throw new Error(`${node} did not tell it; told: ${JSON.stringify(told.slice(from))}`);
        return found.text;
      };
      return vi.waitFor(find, { timeout: 20_000, interval: 20 });
    },
    problems: () =>
      readFileSync(log, 'utf8')
        .slice(started)
        .match(/.*\[(?:warn|error)\].*/g) ?? [],
    stop: async () => {
      socket.close();
      await nr('stop', file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
