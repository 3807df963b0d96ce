import type { GatewayOwners } from '../accounts/gatewayOwners.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';

type SharedGatewaysParts = {
  readonly store: Pick<FleetStore, 'row' | 'gateways' | 'claimGateway' | 'releaseGateway'>;
  readonly owners: Pick<GatewayOwners, 'setClaims' | 'listedBy'>;
};

/**
 * Reads which account of the fleet has which gateway, before an account starts, and claims those that the accounts served here list: the first
 * that lists one has it, as two that see the same one would publish the same entities. Rejects where NATS does not answer.
 */
export const shareGateways = async (
  { store, owners }: SharedGatewaysParts,
  rows: ReadonlyMap<string, FleetRow>,
  served: ReadonlyMap<string, unknown>,
): Promise<void> => {
  const accounts = await store.gateways();
  owners.setClaims(accounts);
  for (const account of served.keys()) {
    const row = rows.get(account);
    // One that is removed gives its gateways up just now.
    if (!row || row.removed) continue;
    for (const gateway of owners.listedBy(account)) {
      const owner = accounts.get(gateway);
      if (owner === undefined) await store.claimGateway(gateway, account);
      // Its row is gone without `fleet remove`, as where that bucket was lost.
      else if (!rows.has(owner) && !(await store.row(owner))) await store.releaseGateway(gateway, owner);
    }
  }
  for (const [gateway, account] of accounts) {
    const listed = served.has(account) ? owners.listedBy(account) : [];
    if (listed.length > 0 && !listed.includes(gateway)) await store.releaseGateway(gateway, account);
  }
};

/** Gives up all gateways of an account that is removed. */
export const releaseGateways = async (store: Pick<FleetStore, 'gateways' | 'releaseGateway'>, removed: string): Promise<void> => {
  for (const [gateway, account] of await store.gateways()) if (account === removed) await store.releaseGateway(gateway, account);
};
