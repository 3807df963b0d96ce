import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { neededProgram } from '../programs.ts';
import { type BrokerNode, brokerNode } from './brokerNode.ts';
import { freePort } from './freePort.ts';

/** A node, with the address for clients of NATS. */
export type NatsNode = BrokerNode & { readonly client: string };

/** Three nodes of NATS with JetStream and MQTT, each with a copy of everything that is kept. They end with the test. */
export const startNats = async (): Promise<readonly NatsNode[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'h2m-nats-'));
  const names = ['n1', 'n2', 'n3'] as const;
  const ports = await Promise.all(names.map(async () => ({ mqtt: await freePort(), route: await freePort(), client: await freePort() })));
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(', ');
  const nodes = ports.map(({ mqtt, route, client }, i) => {
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
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  await Promise.all(nodes.map((node) => node.start()));
  return nodes;
};
