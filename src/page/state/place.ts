const found = /^(.*\/)a\/([a-z0-9_-]{1,40})\/$/.exec(location.pathname);

/** The account of this page; empty for the main account. */
export const accountName = found?.[2] ?? '';

/** The path of the process's page. */
export const processPlace = found?.[1] ?? location.pathname.replace(/[^/]*$/, '');

/** The path of an account's page. */
export const placeOf = (account: string): string => `${processPlace}${account === '' ? '' : `a/${account}/`}#/`;
