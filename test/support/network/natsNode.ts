import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { neededProgram } from '../programs.ts';
import type { BrokerNode } from './brokerNode.ts';
import { freePort } from './freePort.ts';

/** A single node of NATS. */
export type SingleNats = BrokerNode & {
  readonly client: string;
  /** At its next start these are the further lines of its configuration. */
  configure(...more: readonly string[]): void;
  /** While it does not run: keeps what it holds, as a backup. */
  keep(): void;
  /** While it does not run: brings back what was kept. */
  restore(): void;
};

/** Starts a single node of NATS; `more`: further lines of its configuration. It ends with the test. */
export const startSingleNats = async (...more: readonly string[]): Promise<SingleNats> => {
  const folder = mkdtempSync(join(tmpdir(), 'h2m-nats-'));
  const [store, kept] = [join(folder, 'store'), join(folder, 'kept')];
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  const jetStream = more.includes('no jetstream') ? [] : [`jetstream { store_dir: "${store}" }`];
  const configure = (...lines: readonly string[]): void =>
    writeFileSync(file, [`listen: "127.0.0.1:${port}"`, ...jetStream, ...lines.filter((one) => one !== 'no jetstream')].join('\n'));
  configure(...more);
  let child: ChildProcess | undefined;
  const url = `nats://127.0.0.1:${port}`;
  const node = {
    url,
    client: url,
    configure,
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    start: async () => {
      child = spawn(neededProgram('nats-server'), ['-c', file], { stdio: 'ignore' });
      for (const end = performance.now() + 30_000; performance.now() < end; ) {
        const socket = connect(port, '127.0.0.1');
        // It greets each client.
        const isUp = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]).catch(
          () => false,
        );
        socket.destroy();
        if (isUp) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('nats-server did not start');
    },
    keep: () => cpSync(store, kept, { recursive: true }),
    restore: () => {
      rmSync(store, { recursive: true });
      cpSync(kept, store, { recursive: true });
    },
  };
  onTestFinished(async () => {
    await node.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await node.start();
  return node;
};
