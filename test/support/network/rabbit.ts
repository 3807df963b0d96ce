import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { neededProgram } from '../programs.ts';
import { type BrokerNode, brokerNode } from './brokerNode.ts';
import { freePort } from './freePort.ts';

/** RabbitMQ with its MQTT plugin, which is let in as anybody. It keeps its files when it is killed, and ends with the test. */
export const startRabbit = async (): Promise<BrokerNode> => {
  const folder = mkdtempSync(join(tmpdir(), 'h2m-rabbit-'));
  const [port, dist, epmd] = await Promise.all([freePort(), freePort(), freePort()]);
  const file = (name: string, ...lines: readonly string[]): string => {
    writeFileSync(join(folder, name), [...lines, ''].join('\n'));
    return join(folder, name);
  };
  const node = brokerNode(`mqtt://127.0.0.1:${port}`, neededProgram('rabbitmq-server'), [], {
    PATH: process.env['PATH'],
    HOME: folder,
    RABBITMQ_NODENAME: `h2m${port}@localhost`,
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_CONFIG_FILE: file(
      'rabbitmq.conf',
      'listeners.tcp = none',
      `mqtt.listeners.tcp.1 = 127.0.0.1:${port}`,
      'mqtt.allow_anonymous = true',
    ),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('plugins', '[rabbitmq_mqtt].'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_DIST_PORT: String(dist),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmd),
  });
  onTestFinished(async () => {
    await node.kill();
    // Erlang's name server stays behind; this one is of this node alone.
    spawnSync('epmd', ['-port', String(epmd), '-kill']);
    rmSync(folder, { recursive: true, force: true });
  });
  await node.start();
  return node;
};
