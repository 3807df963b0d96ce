import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { answersById } from '../accounts/accountsWorld.ts';
import type { FleetWorld } from './fleetWorld.ts';
import type { Sent } from './platformFront.ts';

/**
 * Writes to each account, one write after another. `end` waits until a further write of each account is applied, stops, and holds that no
 * write was sent twice or got two answers that differ, that each that was accepted got its answer, and that no worker sent a command after
 * another one had taken its place.
 */
export const writeUnderFaults = (world: FleetWorld): { end(): Promise<void> } => {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const ids: { readonly id: string; readonly account: string }[] = [];
  const writing = Promise.all(
    world.accounts.map(async (account, index) => {
      for (let write = 0; !over.signal.aborted; write += 1) {
        // Each differs from the one before, so that each needs a command.
        const end = `${18 + (Math.floor(write / 6) % 5)}:${write % 6}0`;
        const id = `${account}-${write}`;
        ids.push({ id, account });
        await world.write(account, id, end);
        await sleep(1500 + index * 130, undefined, { signal: over.signal }).catch(() => undefined);
      }
    }),
  );
  return {
    end: async () => {
      const sentBefore = new Set(ids);
      const goesOn = async (until: () => readonly string[]): Promise<void> => {
        await expect
          .poll(until, { timeout: 90_000, interval: 1000 })
          .toEqual([])
          .catch((cause: unknown) => {
            throw new Error(world.workers.map((one) => one.log()).join('\n'), { cause });
          });
      };
      /** Accounts none of whose writes from here on was applied. */
      await goesOn(() => {
        const answers = answersById(world.recorder);
        const applied = ids.filter((one) => !sentBefore.has(one) && answers.get(one.id)?.includes('applied') === true);
        return world.accounts.filter((account) => !applied.some((one) => one.account === account));
      });
      over.abort();
      await writing;
      /** What is accepted and has no final answer. */
      await goesOn(() =>
        [...answersById(world.recorder)].flatMap(([id, all]) => (all.every((status) => status === 'accepted') ? [id] : [])),
      );
      const answers = answersById(world.recorder);
      const finals = [...answers].map(([id, all]) => ({ id, all: all.filter((status) => status !== 'accepted') }));
      expect(finals.filter(({ all }) => new Set(all).size > 1)).toEqual([]);
      // Where a worker dies just when an answer is sent, the next one sends it once more (docs/errors.md).
      expect(finals.filter(({ all }) => all.length > 1).length).toBeLessThan(1 + ids.length / 50);
      for (const account of world.accounts) {
        const posts = world
          .platform(account)
          .calls()
          .filter(({ method }) => method === 'POST');
        const bodies = posts.map(({ body }) => JSON.stringify(body));
        // Two writes in a row differ.
        expect([account, bodies.filter((body, index) => body === bodies[index - 1])]).toEqual([account, []]);
        expect([account, foreignSent(world, account)]).toEqual([account, []]);
      }
    },
  };
};

/** How late a busy test may hear that a worker serves an account. */
const HEARD_MS = 2000;

/** The commands with which a worker went on after another one had sent some, and without having begun to serve the account anew. */
const foreignSent = (world: FleetWorld, account: string): readonly Sent[] => {
  const sent = world.sent(account);
  return sent.filter(({ worker, atMs }, index) => {
    if (sent[index - 1]?.worker === worker) return false;
    const lastMs = sent.slice(0, index).findLast((one) => one.worker === worker)?.atMs ?? 0;
    const begins = world.workers.flatMap(({ served }) => served.filter((one) => one.worker === worker && one.account === account));
    return !begins.some((begin) => begin.atMs > lastMs && begin.atMs < atMs + HEARD_MS);
  });
};
