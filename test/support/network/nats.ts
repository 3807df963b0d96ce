import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import { type NatsNode, natsNodes } from './brokerNode.ts';

/** Three nodes of NATS that run, and end with the test. */
export const startNats = async (): Promise<readonly NatsNode[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'h2m-nats-'));
  const nodes = await natsNodes(folder);
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  onTestFailed(() => {
    for (const { client, output } of nodes) console.log(`${client}\n${output?.()}`);
  });
  await Promise.all(nodes.map((node) => node.start()));
  return nodes;
};
