import { matchesAny } from '../../shared/glob.ts';
import type { Rules } from './evaluate.ts';

/** False for a command that the settings refuse (CONTRACT §3.8): hubs are not offered what would be refused every time. */
export const isAllowed = ({ allow, deny }: Pick<Rules, 'allow' | 'deny'>, feature: string, command: string): boolean => {
  const name = `${feature}/${command}`;
  return matchesAny(name, allow) && !matchesAny(name, deny);
};
