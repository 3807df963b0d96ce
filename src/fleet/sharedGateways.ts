import type { GatewayOwners } from '../accounts/gatewayOwners.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';

type SharedGatewaysParts = {
  readonly store: Pick<FleetStore, 'row' | 'gateways' | 'claimGateway' | 'releaseGateway'>;
  readonly owners: Pick<GatewayOwners, 'setClaims' | 'listedBy'>;
};

/**
 * Reads the gateway owners before an account starts, and claims the gateways that the served accounts list.
 * The first account that lists a gateway owns it: two would publish the same entities. Rejects if NATS does
 * not answer.
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
    // The removal of an account releases its gateways.
    if (!row || row.removed) continue;
    for (const gateway of owners.listedBy(account)) {
      const owner = accounts.get(gateway);
      if (owner === undefined) await store.claimGateway(gateway, account);
      // The owner's row is gone without `fleet remove` (for example the bucket was lost).
      else if (!rows.has(owner) && !(await store.row(owner))) await store.releaseGateway(gateway, owner);
    }
  }
  for (const [gateway, account] of accounts) {
    const listed = served.has(account) ? owners.listedBy(account) : [];
    if (listed.length > 0 && !listed.includes(gateway)) await store.releaseGateway(gateway, account);
  }
};

/** Releases all gateways of a removed account. */
export const releaseGateways = async (store: Pick<FleetStore, 'gateways' | 'releaseGateway'>, removed: string): Promise<void> => {
  for (const [gateway, account] of await store.gateways()) if (account === removed) await store.releaseGateway(gateway, account);
};
