import { LOGIN_HELP } from '../accounts/loginHelp.ts';

/** The text in `bridge/auth`, by login state. */
const AUTH_DE = {
  ok: 'Angemeldet.',
  refreshing: 'Die Anmeldung wird gerade erneuert.',
  failing: 'Die Anmeldung lässt sich gerade nicht erneuern, oder die Plattform lehnt sie ab. Die Bridge versucht es weiter.',
  login_needed: (command: string | undefined) => `Eine neue Anmeldung ist nötig, ${LOGIN_HELP.de.where(command)}.`,
} as const;

/** The same with the login `command`; undefined in a fleet. */
export const authDe = (state: keyof typeof AUTH_DE, command: string | undefined): string => {
  const sentence = AUTH_DE[state];
  return typeof sentence === 'function' ? sentence(command) : sentence;
};

/** The text that follows if a login over MQTT is possible. */
export const LOGIN_URL_DE =
  'Oder login_url öffnen, anmelden, und die Adresse, die der Browser danach zeigt, innerhalb von 20 Sekunden auf bridge/auth/set senden.';
