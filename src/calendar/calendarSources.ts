import type { CalendarSource, PriceSource } from '../bridge/ports.ts';
import type { Validators } from './fetchText.ts';

/** The host and the last 4 characters of an address, safe to show. */
const shownAddress = (address: string): string => `${URL.parse(address)?.host ?? 'address'}/…${address.slice(-4)}`;

type CalendarSettings = { readonly addresses: string | null; readonly allow_private: boolean };

/**
 * Calendars from the addresses, which are separated by blanks. If two have the same shown address, the later
 * one gets a number, because calendars are stored by name. The readers are loaded on the first read.
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
  const get = getter('calendar', address, allowPrivate);
  let text = '';
  return {
    name,
    read: async (window, signal) => {
      // An unchanged calendar has other events in another window.
      text = (await get(signal)) ?? text;
      return (await import('./readInWorker.ts')).readInWorker(text, window, signal);
    },
  };
};

/** The price source; undefined if the settings have no address. */
export const priceSource = ({
  url,
  allow_private,
}: {
  readonly url: string | null;
  readonly allow_private: boolean;
}): PriceSource | undefined => {
  return url === null ? undefined : { name: shownAddress(url), read: getter('price list', url, allow_private) };
};

/** Fetches a text if it has changed since the last fetch. */
const getter = (kind: 'calendar' | 'price list', address: string, allowPrivate: boolean): PriceSource['read'] => {
  let validators: Validators = {};
  return async (signal) => {
    const { fetchText } = await import('./fetchText.ts');
    const fetched = await fetchText(kind, address, validators, allowPrivate, signal);
    validators = fetched?.validators ?? validators;
    return fetched?.text;
  };
};
