import type { CalendarSource } from '../bridge/ports.ts';
import type { Validators } from './fetchIcs.ts';

/** The host and the last 4 characters of an address, which people may see. */
export const shownAddress = (address: string): string => `${URL.parse(address)?.host ?? 'address'}/…${address.slice(-4)}`;

type CalendarSettings = { readonly addresses: string | null; readonly allow_private: boolean };

/** Calendars by their addresses, which are separated by blanks. What reads them is loaded at the first read. */
export const calendarSources = ({ addresses, allow_private }: CalendarSettings): readonly CalendarSource[] =>
  (addresses ?? '').split(/\s+/u).flatMap((address) => (address === '' ? [] : [sourceOf(address, allow_private)]));

const sourceOf = (address: string, allowPrivate: boolean): CalendarSource => {
  let validators: Validators = {};
  let text: string | undefined;
  return {
    name: shownAddress(address),
    read: async (window, signal) => {
      const { fetchIcs } = await import('./fetchIcs.ts');
      const fetched = await fetchIcs(address, validators, allowPrivate, signal);
      // Unchanged, it has other events in another window.
      text = fetched.kind === 'text' ? fetched.text : text;
      if (fetched.kind === 'text') validators = fetched.validators;
      return text === undefined ? undefined : (await import('./readApart.ts')).readApart(text, window, signal);
    },
  };
};
