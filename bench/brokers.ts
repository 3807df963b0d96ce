import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { freePort } from '../test/support/network/freePort.ts';
import { end, started, within } from './processes.ts';

/** The brokers that a bench uses: Mosquitto as users have it. */

export type BrokerKind = 'debian' | 'home-assistant' | 'tuned' | 'embedded';

export type Broker = { readonly url: string; stop(): Promise<void> };

/** What the configuration of each has beside its listener and the folder of its persistence. */
const SETTINGS: { readonly [K in Exclude<BrokerKind, 'embedded'>]: readonly string[] } = {
  // /etc/mosquitto/mosquitto.conf of Debian's package, which leaves everything else at its default.
  debian: ['persistence true', 'log_dest file LOG'],
  // mosquitto.gtpl of the app "Mosquitto broker", without its plugin for logins.
  'home-assistant': [
    'log_dest file LOG',
    'log_type error',
    'log_type warning',
    'log_type notice',
    'log_type information',
    'log_timestamp_format %Y-%m-%d %H:%M:%S',
    'persistence true',
    'max_queued_messages 8192',
  ],
  // No user has these: packets are not held back, and there is no limit of messages without an acknowledgement.
  tuned: ['max_inflight_messages 0', 'max_queued_messages 0', 'set_tcp_nodelay true'],
};

const help = spawnSync('mosquitto', ['-h'], { encoding: 'utf8' });
const hasMosquitto = help.error === undefined;
const [, VERSION = ''] = /version (\S+)/.exec(help.stdout ?? '') ?? [];

export const BROKER_NAMES: { readonly [K in BrokerKind]: string } = {
  debian: `Mosquitto ${VERSION}, settings of Debian's package`,
  'home-assistant': `Mosquitto ${VERSION}, settings of Home Assistant's app`,
  tuned: `Mosquitto ${VERSION}, tuned`,
  embedded: 'the embedded broker (there is no Mosquitto)',
};

/** What there is on this machine of those that are asked for. */
export const brokersHere = (wanted: readonly BrokerKind[]): readonly BrokerKind[] => (hasMosquitto ? wanted : ['embedded']);

/** That of `npm run bench:web`. */
export const [USERS_BROKER = 'embedded'] = brokersHere(['debian']);

const EMBEDDED = 'const { startEmbeddedBroker } = await import("./src/mqtt/embeddedBroker.ts"); await startEmbeddedBroker(PORT);';

const spawned = (kind: BrokerKind, folder: string, port: number): ChildProcess => {
  const log = join(folder, 'broker.log');
  if (kind === 'embedded') {
    const out = openSync(log, 'a');
    const child = spawn(process.execPath, ['--input-type=module', '-e', EMBEDDED.replace('PORT', String(port))], {
      stdio: ['ignore', out, out],
    });
    closeSync(out);
    return child;
  }
  const settings = SETTINGS[kind].map((line) => line.replace('LOG', log));
  // As root it would become a user who may not write here.
  const user = process.getuid?.() === 0 ? ['user root'] : [];
  const file = join(folder, 'mosquitto.conf');
  const lines = [...user, `listener ${port} 127.0.0.1`, 'allow_anonymous true', `persistence_location ${folder}/`, ...settings, ''];
  writeFileSync(file, lines.join('\n'));
  return spawn('mosquitto', ['-c', file], { stdio: 'ignore' });
};

/** A broker that knows nothing. */
export const startBroker = async (kind: BrokerKind, dir: string): Promise<Broker> => {
  const port = await freePort();
  const child = started(spawned(kind, mkdtempSync(join(dir, 'broker-')), port));
  const url = `mqtt://127.0.0.1:${port}`;
  const listening = async (): Promise<void> => {
    while (child.exitCode === null) {
      const found = await connectAsync(url, { reconnectPeriod: 0 }, false).catch(() => undefined);
      if (found) return found.endAsync();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the broker ended with exit code ${child.exitCode}`);
  };
  await within('the broker', listening());
  return { url, stop: () => end(child) };
};
