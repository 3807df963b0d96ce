import type { CalendarSource } from '../bridge/ports.ts';
import { instantOf } from '../schedule/zone.ts';
import type { Validators } from './fetchIcs.ts';
import type { InZone } from './readIcs.ts';

/** The host and the last 4 characters of an address, which people may see. */
export const shownAddress = (address: string): string => `${URL.parse(address)?.host ?? 'address'}/…${address.slice(-4)}`;

const inZone: InZone = (local, zone) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local.split(/\D/u).map(Number);
  try {
    return instantOf({ year, month, day, hour, minute, second }, zone);
  } catch {
    return undefined;
  }
};

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
      return text === undefined ? undefined : (await import('./readIcs.ts')).readIcs(text, window, inZone);
    },
  };
};
