import type { Language } from '../language.ts';

/** The account of a message: a further one by name, undefined: the main one, false: a fleet account. */
export type AccountName = string | false | undefined;

/** The command for this account; undefined for a fleet account. */
export const commandFor = (command: 'login' | 'check' | 'forget', account: AccountName): string | undefined =>
  account === false ? undefined : `heating2mqtt ${command}${account === undefined ? '' : ` --account ${account}`}`;

/** Phrases about logins with the account's command (`commandFor`); undefined means a fleet account. */
const EN = {
  /** The place of the login. */
  where: (command: string | undefined): string =>
    command === undefined ? 'on the page of the worker that serves this account' : `on the page of heating2mqtt or with \`${command}\``,
  /** The advice if a login is not accepted because it may belong to another person. */
  otherwise: (command: string | undefined): string =>
    command === undefined
      ? 'Log in as before, or remove the account from the fleet and add it again.'
      : `Run \`${command}\` on the machine of the bridge instead.`,
  /** The source of details about a failure. */
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
