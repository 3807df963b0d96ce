import type { CalendarSource } from '../bridge/ports.ts';
import type { Validators } from './fetchIcs.ts';

/** The host and the last 4 characters of an address, which people may see. */
export const shownAddress = (address: string): string => `${URL.parse(address)?.host ?? 'address'}/…${address.slice(-4)}`;

type CalendarSettings = { readonly addresses: string | null; readonly allow_private: boolean };

/**
 * Calendars by their addresses, which are separated by blanks. Where two are shown alike, the later one has a number: a calendar is kept by its
 * name. What reads them is loaded at the first read.
 */
export const calendarSources = ({ addresses, allow_private }: CalendarSettings): readonly CalendarSource[] => {
  const all = [...new Set((addresses ?? '').split(/\s+/u).filter((address) => address !== ''))];
  return all.map((address, index) => {
    const shown = shownAddress(address);
    const before = all.slice(0, index).filter((other) => shownAddress(other) === shown).length;
    return sourceOf(address, before === 0 ? shown : `${shown} (${before + 1})`, allow_private);
  });
};

const sourceOf = (address: string, name: string, allowPrivate: boolean): CalendarSource => {
  let validators: Validators = {};
  let text: string | undefined;
  return {
    name,
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
