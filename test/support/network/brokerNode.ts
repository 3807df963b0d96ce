import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import { neededProgram } from '../programs.ts';
import { freePort } from './freePort.ts';

/** A broker, or a node of one, that can be killed and started again with its files. */
export type BrokerNode = {
  readonly url: string;
  /** SIGKILL: nothing is said to anybody. */
  kill(): Promise<void>;
  /** Stops it as it is, or lets it go on. */
  pause?(isPaused: boolean): void;
  /** Resolves when it takes connections of MQTT clients. */
  start(): Promise<void>;
  /** The last of what it has said. */
  output?(): string;
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** One that is started by this command, in a process group of its own, which is killed as a whole. It is not running yet. */
export const brokerNode = (url: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): BrokerNode => {
  let child: ChildProcess | undefined;
  let output = '';
  return {
    url,
    output: () => output,
    kill: async () => {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid, 'SIGKILL');
      await ended(child);
    },
    pause: (isPaused) => {
      if (child?.pid !== undefined) process.kill(-child.pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
    },
    start: async () => {
      const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-4000);
        });
      const end = performance.now() + 60_000;
      while (started.exitCode === null && performance.now() < end) {
        const client = await connectAsync(url, { reconnectPeriod: 0, connectTimeout: 2000, protocolVersion: 4 }, false).catch(
          () => undefined,
        );
        if (client) return client.endAsync();
        await sleep(100);
      }
      throw new Error(`${command} did not start: ${output}`);
    },
  };
};

/** A node, with the address for clients of NATS. */
export type NatsNode = BrokerNode & { readonly client: string };

/** Three nodes of NATS with JetStream and MQTT, each with a copy of everything that is kept in this folder. None is running yet. */
export const natsNodes = async (folder: string): Promise<readonly NatsNode[]> => {
  const names = ['n1', 'n2', 'n3'] as const;
  const ports = await Promise.all(names.map(async () => ({ mqtt: await freePort(), route: await freePort(), client: await freePort() })));
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(', ');
  return ports.map(({ mqtt, route, client }, i) => {
    const name = names[i] ?? '';
    const file = join(folder, `${name}.conf`);
    mkdirSync(join(folder, name));
    writeFileSync(
      file,
      [
        `server_name: ${name}`,
        `listen: "127.0.0.1:${client}"`,
        `jetstream { store_dir: "${join(folder, name)}" }`,
        `mqtt { listen: "127.0.0.1:${mqtt}", stream_replicas: 3 }`,
        `cluster { name: c, no_advertise: true, listen: "127.0.0.1:${route}", routes: [${routes}] }`,
      ].join('\n'),
    );
    return { ...brokerNode(`mqtt://127.0.0.1:${mqtt}`, neededProgram('nats-server'), ['-c', file]), client: `nats://127.0.0.1:${client}` };
  });
};
