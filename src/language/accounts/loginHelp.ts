import type { Language } from '../language.ts';

/** Of which account a sentence is: a further one by its name, undefined for the main one, false for one of a fleet, which no command line knows. */
export type AccountName = string | false | undefined;

/** What people run for this account; undefined for one of a fleet. */
export const commandFor = (command: 'login' | 'check' | 'forget', account: AccountName): string | undefined =>
  account === false ? undefined : `heating2mqtt ${command}${account === undefined ? '' : ` --account ${account}`}`;

/** What sentences about logins say by the command of the account (`commandFor`): where it is undefined, the account is one of a fleet. */
const EN = {
  /** Where people log in. */
  where: (command: string | undefined): string =>
    command === undefined ? 'on the page of the worker that serves this account' : `on the page of heating2mqtt or with \`${command}\``,
  /** Where the login is not taken, as it may be that of somebody else than before. */
  otherwise: (command: string | undefined): string =>
    command === undefined
      ? 'Log in as before, or remove the account from the fleet and add it again.'
      : `Run \`${command}\` beside the bridge instead.`,
  /** What tells more of a failure. */
  report: (command: string | undefined): string => (command === undefined ? 'The log of its worker' : `\`${command}\``),
};

const DE: typeof EN = {
  where: (command) =>
    command === undefined
      ? 'auf der Seite des Workers, der dieses Konto bedient'
      : `auf der Seite von heating2mqtt oder mit \`${command}\``,
  otherwise: (command) =>
    command === undefined
      ? 'Sonst das Konto aus der Flotte entfernen und neu hinzufügen.'
      : `Sonst geht es auf dem Rechner der Bridge mit \`${command}\`.`,
  report: (command) => (command === undefined ? 'Das Protokoll des Workers' : `\`${command}\``),
};

export const LOGIN_HELP: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
