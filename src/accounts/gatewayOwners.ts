import { isDeepStrictEqual } from 'node:util';
import type { AccountGateways } from '../bridge/ports.ts';
import type { Log } from '../shared/log.ts';

type Listed = { readonly gateways: readonly string[]; readonly changed: () => void };

/**
 * Accounts of this process that see the same gateway (a family). The first account in the settings owns it,
 * because the entity ids do not depend on the account.
 */
export class GatewayOwners {
  #order: readonly string[] = [];
  readonly #accounts = new Map<string, Listed>();
  #claims: ReadonlyMap<string, string> = new Map();

  /** The accounts in the order of the settings. Missing accounts lose their gateways. */
  setOrder(names: readonly string[]): void {
    if (isDeepStrictEqual(names, this.#order)) return;
    this.#change(() => {
      this.#order = names;
      for (const name of this.#accounts.keys()) if (!names.includes(name)) this.#accounts.delete(name);
    });
  }

  /** In a fleet: the account of each gateway, in any process. It takes priority over the order. */
  setClaims(claims: ReadonlyMap<string, string>): void {
    this.#change(() => {
      this.#claims = new Map(claims);
    });
  }

  /** The gateways that the platform lists for this account; empty if unknown. */
  listedBy(name: string): readonly string[] {
    return this.#accounts.get(name)?.gateways ?? [];
  }

  /** The gateways from the view of the account `name`. `onListed`: the platform lists other gateways for it. */
  of(name: string, log: Log, onListed: () => void = () => undefined): AccountGateways {
    const logged = new Set<string>();
    const own = (): Listed => this.#accounts.get(name) ?? { gateways: [], changed: () => undefined };
    return {
      listed: (gateways) => {
        const before = own();
        if (isDeepStrictEqual(before.gateways, gateways)) {
          this.#accounts.set(name, before);
          return;
        }
        this.#change(() => this.#accounts.set(name, { ...before, gateways }), name);
        onListed();
      },
      owns: (gateway) => {
        const account = this.#otherOf(name, gateway);
        if (account !== undefined && !logged.has(gateway)) {
          logged.add(gateway);
          log.warn({ gateway, owner: shownAccount(account) }, 'another account already publishes this gateway, so this account does not');
        }
        return account === undefined;
      },
      onChange: (changed) => this.#accounts.set(name, { ...own(), changed }),
    };
  }

  /** The gateways of this account that another account owns, with the owner's name. */
  ownedByOthers(name: string): readonly { readonly gateway: string; readonly account: string }[] {
    return (this.#accounts.get(name)?.gateways ?? []).flatMap((gateway) => {
      const account = this.#otherOf(name, gateway);
      return account === undefined ? [] : [{ gateway, account }];
    });
  }

  #otherOf(name: string, gateway: string): string | undefined {
    const owner = this.#claims.get(gateway) ?? this.#order.find((one) => this.#accounts.get(one)?.gateways.includes(gateway));
    return owner === name ? undefined : owner;
  }

  /** Notifies the accounts whose gateways changed, except the caller `by`. */
  #change(act: () => void, by?: string): void {
    const before = new Map([...this.#accounts.keys()].map((name) => [name, this.ownedByOthers(name)]));
    act();
    for (const [name, { changed }] of this.#accounts)
      if (name !== by && !isDeepStrictEqual(before.get(name) ?? [], this.ownedByOthers(name))) changed();
  }
}

/** The main account has no name. */
export const shownAccount = (name: string): string => (name === '' ? 'the main account' : name);
