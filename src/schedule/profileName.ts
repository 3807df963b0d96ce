/** The names of profiles, as topics and the command line take them. */
export const PROFILE_NAME = /^[a-z0-9_-]{1,30}$/;

/** The profile of a week that equals no profile. */
export const CUSTOM = 'custom';

const TAKEN: readonly string[] = [CUSTOM, 'none'];
const SPELLED: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** True for a valid name of a profile. */
export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name) && !TAKEN.includes(name);

/** A profile name from typed text: `Früh im Winter` gives `frueh-im-winter`; undefined if impossible. */
export const profileNameOf = (typed: string): string | undefined => {
  if (isProfileName(typed.trim())) return typed.trim();
  const name = typed
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => SPELLED[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 30)
    .replace(/^-+|-+$/g, '');
  return isProfileName(name) ? name : undefined;
};
