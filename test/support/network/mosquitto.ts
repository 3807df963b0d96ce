import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { neededProgram } from '../programs.ts';
import { freePort } from './freePort.ts';

export type Mosquitto = {
  readonly url: string;
  readonly port: number;
  /** What it has written so far. */
  log(): string;
  /** Ends it by this signal and waits for its end; `SIGUSR1` makes it save its persistence, `SIGHUP` read its ACL file anew, and it goes on. */
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
};

export type MosquittoOptions = {
  /** The folder where it keeps what is retained; without one it forgets everything. */
  readonly persistence?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Further lines of its configuration. `allow_anonymous true` is there unless they say otherwise. */
  readonly config?: readonly string[];
  /** True: the listener speaks TLS by the certificates that `config` names. */
  readonly tls?: boolean;
};

/** A real Mosquitto on loopback: MQTT 5 and 3.1.1. Rejects with what it says where it does not start. */
export const startMosquitto = async (options: MosquittoOptions = {}): Promise<Mosquitto> => {
  const { persistence, config = [], tls = false } = options;
  const port = options.port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'h2m-mosquitto-'));
  if (persistence !== undefined) mkdirSync(persistence, { recursive: true });
  const anonymous = config.some((line) => line.startsWith('allow_anonymous')) ? [] : ['allow_anonymous true'];
  const kept = persistence === undefined ? ['persistence false'] : ['persistence true', `persistence_location ${persistence}/`];
  const user = process.getuid?.() === 0 ? ['user root'] : [];
  const file = join(folder, 'mosquitto.conf');
  writeFileSync(file, [...user, ...kept, `listener ${port} 127.0.0.1`, ...anonymous, ...config, ''].join('\n'));
  const child = spawn(neededProgram('mosquitto'), ['-c', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const append = (text: string): void => {
    output += text;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', append);
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = signal === 'SIGUSR1' || signal === 'SIGHUP' ? undefined : once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await listening(child, port, () => output);
  return {
    url: `${tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`,
    port,
    log: () => output,
    kill,
    stop: async () => {
      await kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const listening = async (child: ChildProcess, port: number, output: () => string): Promise<void> => {
  const end = performance.now() + 20_000;
  while (child.exitCode === null && performance.now() < end) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await sleep(10);
  }
  throw new Error(`Mosquitto did not start: ${output()}`);
};

/** A password file for `password_file`. */
export const passwordFile = (folder: string, user: string, password: string): string => {
  const file = join(folder, 'passwords');
  execFileSync(neededProgram('mosquitto_passwd'), ['-b', '-c', file, user, password], { stdio: 'ignore' });
  return file;
};
