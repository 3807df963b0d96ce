import type { AccountSummary } from '../../api/accounts.ts';

/** In a fleet, removing an account also removes its login and data. */
export const isOfFleet = ({ worker, isElsewhere = false }: AccountSummary): boolean => worker !== undefined || isElsewhere;

/** The accounts whose pages this process serves. */
export const ownAccounts = (all: readonly AccountSummary[]): readonly AccountSummary[] => all.filter(({ isElsewhere }) => !isElsewhere);
