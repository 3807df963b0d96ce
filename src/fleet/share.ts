import { sha1 } from '../shared/message.ts';

/** An account of the fleet. `worker`: chosen by a person. */
export type Placed = { readonly name: string; readonly worker?: string | undefined };

/**
 * The worker of each account: evenly distributed, equal for all callers with the same names, and with few
 * moves when a worker comes or goes. A worker that a person chose comes first while it runs. Empty without
 * workers. `cannot`: this worker cannot serve that account; an account that no worker can serve gets none.
 */
export const shareOut = (
  accounts: readonly Placed[],
  workers: readonly string[],
  cannot: (worker: string, account: string) => boolean = () => false,
): ReadonlyMap<string, string> => {
  const shared = new Map<string, string>();
  if (workers.length === 0) return shared;
  const least = Math.floor(accounts.length / workers.length);
  let extra = accounts.length - least * workers.length;
  const load = new Map(workers.map((worker) => [worker, 0]));
  const place = (name: string, worker: string): void => {
    const before = load.get(worker) ?? 0;
    if (before === least) extra -= 1;
    shared.set(name, worker);
    load.set(worker, before + 1);
  };
  const hasRoom = (worker: string): boolean => (load.get(worker) ?? 0) < least + (extra > 0 ? 1 : 0);
  for (const { name, worker } of accounts) if (worker !== undefined && load.has(worker) && !cannot(worker, name)) place(name, worker);
  // The worker with free capacity and the highest digest of both names (rendezvous hashing).
  for (const { name } of accounts.filter((one) => !shared.has(one.name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const byRank = workers
      .filter((worker) => !cannot(worker, name))
      .map((worker) => ({ worker, rank: sha1(`${worker}\n${name}`, 'hex') }))
      .toSorted((a, b) => (a.rank < b.rank ? 1 : -1));
    const worker = byRank.find((one) => hasRoom(one.worker))?.worker ?? byRank[0]?.worker;
    if (worker !== undefined) place(name, worker);
  }
  return shared;
};
