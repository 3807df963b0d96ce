import type { ShownMistake } from '../../api/answers.ts';
import { type Account, readAccounts } from '../../config/accounts.ts';
import type { SettingsRead, Sources } from '../../config/load.ts';
import { addressesOf } from '../../config/profiles.ts';
import type { Loaded } from '../../config/schema.ts';
import type { Settings } from '../../config/settings.ts';
import { addressesIn } from '../../config/validation/brokerAddresses.ts';
import { type Changes, mistakeOf } from './draft.ts';

const hostsOf = (urls: string): readonly string[] => addressesIn(urls).flatMap((url) => URL.parse(url)?.hostname || []);
const originOf = (url: string): string | undefined => URL.parse(url)?.origin;

/** The broker is on another host than before, or on an additional one. */
const isBrokerElsewhere = (before: Loaded, after: Loaded): boolean => {
  const hosts = hostsOf(before.mqtt.url);
  return hosts.length > 0 && !hostsOf(after.mqtt.url).every((host) => hosts.includes(host));
};

const PASSWORD_AGAIN = mistakeOf('mqtt.password', 'again', 'belongs to another broker: type the password again');

/**
 * These changes would send stored secrets elsewhere, where page users could read them: the broker's password
 * to another host, the login tokens to another server. With incomplete settings, no broker was used yet.
 */
export const secretsElsewhere = (
  { loaded: before, settings }: { readonly loaded: Loaded; readonly settings: object | undefined },
  after: Loaded,
  changes: Changes,
  hasTokens: boolean,
): readonly ShownMistake[] => {
  const isElsewhere = (is: string | undefined, was: string | undefined): boolean => was !== undefined && is !== was;
  const isKept = settings !== undefined && before.mqtt.password !== null && !('mqtt.password' in changes);
  const password = isKept && isBrokerElsewhere(before, after) ? [PASSWORD_AGAIN] : [];
  if (!hasTokens) return password;
  const [was, is] = [addressesOf(before.platform), addressesOf(after.platform)];
  const tokens = (['base_url', 'auth_url'] as const)
    .filter((key) => isElsewhere(originOf(is[key]), originOf(was[key])))
    .map((key) =>
      mistakeOf(`platform.${key}`, 'tokens', 'would send the stored login to another server: stop the bridge and remove tokens.json first'),
    );
  return [...password, ...tokens];
};

/** The settings of a process, and of its further accounts. */
type WithAccounts = { readonly loaded: Loaded; readonly accounts: readonly Account[] };

export const withAccounts = (sources: Sources, read: SettingsRead): WithAccounts => {
  return { loaded: read.loaded, accounts: readAccounts(sources, read) };
};

/** Only a machine's file sets `allow_private`: else page users could read this machine's private hosts. */
export const PRIVATE = ['calendar', 'prices'] as const;

/**
 * The same for further accounts, each with a login and perhaps its own password; also private network
 * addresses that are not permitted yet. `hasTokens`: whether the folder of an account has a login.
 */
export const accountsElsewhere = (
  before: WithAccounts,
  after: WithAccounts,
  hasTokens: (account: { readonly name: string; readonly settings: Settings }) => boolean,
): readonly ShownMistake[] => {
  const known = new Map(before.accounts.flatMap((one) => ('settings' in one ? [[one.name, one.settings] as const] : [])));
  const isNewHost = isBrokerElsewhere(before.loaded, after.loaded);
  return after.accounts.flatMap((account): readonly ShownMistake[] => {
    if (!('settings' in account)) return [];
    const { name, settings } = account;
    const was = known.get(name);
    // A login left from a removed account belongs to the server of this process.
    const from = was?.platform ?? addressesOf(before.loaded.platform);
    const isMoved = (['base_url', 'auth_url'] as const).some((key) => originOf(settings.platform[key]) !== originOf(from[key]));
    const { password } = settings.mqtt;
    const isOwn = password !== undefined && password === was?.mqtt.password && password !== (after.loaded.mqtt.password ?? undefined);
    const wrong = (rule: string, message: string): ShownMistake => mistakeOf('accounts', rule, `${name}: ${message}`);
    return [
      ...(isMoved && hasTokens(account)
        ? [wrong('tokens', 'its stored login would be sent to another server: remove its tokens.json first')]
        : []),
      ...(isNewHost && isOwn ? [wrong('again', 'its password belongs to another broker: type the password again')] : []),
      ...PRIVATE.filter((key) => settings[key].allow_private && !was?.[key].allow_private).map((key) =>
        wrong('fixed', `${key}.allow_private can only be set in the settings file of the machine`),
      ),
    ];
  });
};
