import { expect, test } from 'vitest';
import type { FleetRow } from '../../../src/fleet/fleetStore.ts';
import { shareGateways } from '../../../src/fleet/sharedGateways.ts';

const rowsOf = (...names: readonly string[]): ReadonlyMap<string, FleetRow> => new Map(names.map((name) => [name, { name, entry: {} }]));

/** A fleet whose accounts all list the gateway `g`, which the account `a` has. */
const world = (inBucket: readonly string[]) => {
  const claims = new Map([['g', 'a']]);
  const store = {
    gateways: async () => new Map(claims),
    row: async (name: string) => (inBucket.includes(name) ? { row: { name, entry: {} }, revision: 1 } : undefined),
    claimGateway: async (gateway: string, account: string) => void (claims.has(gateway) || claims.set(gateway, account)),
    releaseGateway: async (gateway: string, account: string) => void (claims.get(gateway) === account && claims.delete(gateway)),
  };
  const parts = { store, owners: { setClaims: () => undefined, listedBy: () => ['g'] } };
  return { claims, share: (rows: ReturnType<typeof rowsOf>) => shareGateways(parts, rows, new Map([['b', {}]])) };
};

test('a gateway of an account whose row is gone goes to the next one that lists it', async () => {
  const { claims, share } = world(['b']);
  for (let look = 0; look < 2; look += 1) await share(rowsOf('b'));
  expect([...claims]).toEqual([['g', 'b']]);
});

test('a gateway stays with an account that was added since the rows were read, and with all where the rows are gone', async () => {
  const { claims, share } = world(['a', 'b']);
  await share(rowsOf('b'));
  await share(rowsOf());
  expect([...claims]).toEqual([['g', 'a']]);
});
