import type { ShownMistake } from '../../api/answers.ts';
import { addressesOf } from '../../config/profiles.ts';
import type { Loaded } from '../../config/schema.ts';
import type { Changes } from './draft.ts';

const hostOf = (url: string): string | undefined => URL.parse(url)?.hostname || undefined;
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
  const password = isKept && isElsewhere(hostOf(after.mqtt.url), hostOf(before.mqtt.url)) ? [PASSWORD_AGAIN] : [];
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
