import type { ShownMistake } from '../../api/answers.ts';
import { addressesOf } from '../../config/profiles.ts';
import type { Loaded } from '../../config/schema.ts';
import { addressesIn } from '../../config/validation/brokerAddresses.ts';
import type { Changes } from './draft.ts';

const hostsOf = (urls: string): readonly string[] => addressesIn(urls).flatMap((url) => URL.parse(url)?.hostname || []);
const originOf = (url: string): string | undefined => URL.parse(url)?.origin;

const PASSWORD_AGAIN: ShownMistake = {
  path: 'mqtt.password',
  rule: 'again',
  message: 'is that of another broker: type the password again',
  where: '',
};

/**
 * Secrets that are stored would go to another place by these changes, where whoever is at the page could read them: the broker's password to
 * another host, the tokens of the login to another server. While settings are incomplete the bridge has used no broker yet.
 */
export const secretsElsewhere = (
  { loaded: before, settings }: { readonly loaded: Loaded; readonly settings: object | undefined },
  after: Loaded,
  changes: Changes,
  hasTokens: boolean,
): readonly ShownMistake[] => {
  const isElsewhere = (is: string | undefined, was: string | undefined): boolean => was !== undefined && is !== was;
  const isKept = settings !== undefined && before.mqtt.password !== null && !('mqtt.password' in changes);
  const hosts = hostsOf(before.mqtt.url);
  const isNewHost = hosts.length > 0 && !hostsOf(after.mqtt.url).every((host) => hosts.includes(host));
  const password = isKept && isNewHost ? [PASSWORD_AGAIN] : [];
  if (!hasTokens) return password;
  const [was, is] = [addressesOf(before.platform), addressesOf(after.platform)];
  const tokens = (['base_url', 'auth_url'] as const).flatMap((key): readonly ShownMistake[] =>
    isElsewhere(originOf(is[key]), originOf(was[key]))
      ? [
          {
            path: `platform.${key}`,
            rule: 'tokens',
            message: 'would get the login of another server: stop the bridge and remove tokens.json first',
            where: '',
          },
        ]
      : [],
  );
  return [...password, ...tokens];
};
