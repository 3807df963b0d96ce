import type { GatewayOwners } from '../accounts/gatewayOwners.ts';
import type { FleetRow, FleetStore, GatewayClaims } from './fleetStore.ts';

type SharedGatewaysParts = {
  readonly store: Pick<FleetStore, 'row' | 'gateways' | 'claimGateway' | 'releaseGateway'>;
  readonly owners: Pick<GatewayOwners, 'setClaims' | 'listedBy'>;
};

/** Which account of the fleet has which gateway: the first that lists it, as two that see the same one would publish the same entities. */
export const sharedGateways = ({ store, owners }: SharedGatewaysParts) => {
  let known: GatewayClaims = { accounts: new Map(), claims: 0 };

  /** Reads whose the gateways are, before an account starts, and claims those that the accounts served here list. Rejects where NATS does not answer. */
  const share = async (rows: ReadonlyMap<string, FleetRow>, served: ReadonlyMap<string, unknown>): Promise<void> => {
    known = await store.gateways(known);
    const { accounts } = known;
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
  const release = async (removed: string): Promise<void> => {
    for (const [gateway, account] of known.accounts) if (account === removed) await store.releaseGateway(gateway, account);
  };

  return { share, release };
};
