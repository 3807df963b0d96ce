import { expect, test } from 'vitest';
import { GatewayOwners } from '../../../src/accounts/gatewayOwners.ts';
import { SILENT } from '../../../src/shared/log.ts';

const world = (...names: readonly string[]) => {
  const owners = new GatewayOwners();
  const told: string[] = [];
  const accounts = Object.fromEntries(
    names.map((name) => {
      const account = owners.of(name, SILENT);
      account.onChange(() => told.push(name));
      return [name, account] as const;
    }),
  );
  const list = (name: string, ...gateways: readonly string[]): void => accounts[name]?.listed(gateways);
  /** Who was told since it was asked last. */
  const asked = (): readonly string[] => told.splice(0);
  return { owners, list, asked };
};

test('tells an account when others have its gateways, or have them no longer, and no account else', () => {
  const { owners, list, asked } = world('a', 'b', 'c');
  const order = ['a', 'b', 'c'];
  owners.setOrder(order);
  list('b', '1', '2');
  list('c', '3');
  expect(asked()).toEqual([]);
  list('a', '1');
  expect([owners.ownedByOthers('b'), asked()]).toEqual([[{ gateway: '1', account: 'a' }], ['b']]);
  for (let look = 0; look < 3; look += 1) owners.setOrder([...order]);
  list('a', '1');
  expect(asked()).toEqual([]);
  owners.setOrder(['b', 'a', 'c']);
  expect(asked().toSorted()).toEqual(['a', 'b']);
  owners.setClaims(new Map([['3', 'elsewhere']]));
  owners.setClaims(new Map([['3', 'elsewhere']]));
  expect(asked()).toEqual(['c']);
  owners.setOrder(['a', 'c']);
  expect(asked()).toEqual(['a']);
});
