import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { chance } from '../support/chance.ts';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { writeUnderFaults } from '../support/fleet/writeUnderFaults.ts';
import { startNats } from '../support/network/nats.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CLOCKS = ['+26h', '-3d', '+400d', '-2h', '+0'];
const MINUTES = Number(process.env['FLEET_MINUTES'] ?? 3);

test(
  'random faults, several at once: no write is sent twice, each that was accepted gets its answer, and no login is lost',
  async () => {
    const random = chance('faults of the fleet');
    const below = (most: number): number => Math.floor(random() * most);
    const nodes = await startNats();
    const names = ['w1', 'w2', 'w3'];
    const world = await fleetWorld(nodes, names, ACCOUNTS);
    for (const worker of world.workers) worker.start('+0');
    await world.allServedBy(...names);
    const writes = writeUnderFaults(world);

    const someSeconds = (most: number) => sleep(1000 + random() * (most - 1) * 1000);
    const ofWorker = async (worker: (typeof world.workers)[number]): Promise<string> => {
      const kind = below(6);
      if (kind === 0) {
        worker.signal('SIGSTOP');
        await someSeconds(60);
        worker.signal('SIGCONT');
        return 'paused';
      }
      if (kind === 1) {
        worker.cut(true);
        await someSeconds(60);
        worker.cut(false);
        return 'cut off';
      }
      if (kind === 5) {
        await someSeconds(20);
        worker.setClock(CLOCKS[below(CLOCKS.length)] ?? '');
        return 'clock set';
      }
      worker.signal(kind === 2 ? 'SIGTERM' : 'SIGKILL');
      await worker.ended();
      await someSeconds(kind === 4 ? 45 : 2);
      worker.start(CLOCKS[below(CLOCKS.length)]);
      return kind === 2 ? 'ended' : 'killed';
    };
    const ofNode = async (node: (typeof nodes)[number]): Promise<string> => {
      const isPaused = random() < 0.4;
      if (isPaused) node.pause?.(true);
      else await node.kill();
      await someSeconds(40);
      if (isPaused) node.pause?.(false);
      else await node.start();
      return isPaused ? 'node paused' : 'node killed';
    };
    for (const end = performance.now() + MINUTES * 60_000; performance.now() < end; ) {
      const faults = [
        ...world.workers.filter(() => random() < 0.45).map(ofWorker),
        ...nodes.filter(() => random() < 0.25).map(ofNode),
        ...ACCOUNTS.filter(() => random() < 0.2).map(async (account) => {
          await someSeconds(20);
          // It may be refused while NATS is away.
          return world.fleet('move', account, names[below(names.length)] ?? '').then(
            () => 'moved',
            () => 'not moved',
          );
        }),
        ...ACCOUNTS.filter(() => random() < 0.3).map(async (account) => {
          await someSeconds(20);
          world.platform(account).control({ command: 'expire_tokens' });
          return 'login renewed';
        }),
      ];
      const what = await Promise.all(faults);
      const healedMs = performance.now();
      await world.allServedBy(...names).catch((cause: unknown) => {
        throw new Error(`after ${what.join(', ')}`, { cause });
      });
      console.log(`${what.join(', ')}: served ${((performance.now() - healedMs) / 1000).toFixed(1)} s later`);
      await someSeconds(8);
    }
    await writes.end();
  },
  MINUTES * 60_000 + 400_000,
);
