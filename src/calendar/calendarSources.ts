import type { CalendarSource, PriceSource } from '../bridge/ports.ts';
import { sha1 } from '../shared/message.ts';
import { textReader } from './fetchText.ts';

/** The host and the last 4 characters of an address, safe to show. */
const shownAddress = (address: string): string => `${URL.parse(address)?.host ?? 'address'}/…${address.slice(-4)}`;

type CalendarSettings = { readonly addresses: string | null; readonly allow_private: boolean };

/**
 * Calendars from the addresses, which are separated by blanks. If two have the same shown address, the later
 * one gets a number, because calendars are stored by name. The reader is loaded on the first read.
 */
export const calendarSources = ({ addresses, allow_private }: CalendarSettings): readonly CalendarSource[] => {
  const all = [...new Set((addresses ?? '').split(/\s+/u).filter((address) => address !== ''))];
  return all.map((address, index) => {
    const shown = shownAddress(address);
    const before = all.slice(0, index).filter((other) => shownAddress(other) === shown).length;
    const get = textReader('calendar', address, allow_private);
    let text = '';
    return {
      name: before === 0 ? shown : `${shown} (${before + 1})`,
      digest: sha1(address, 'hex'),
      read: async (window, signal) => {
        // An unchanged calendar has other events in another window.
        text = (await get(signal)) ?? text;
        return (await import('./readInWorker.ts')).readInWorker(text, window, signal);
      },
    };
  });
};

type PriceSettings = { readonly url: string | null; readonly allow_private: boolean };

/** The price source; undefined if the settings have no address. */
export const priceSource = ({ url, allow_private }: PriceSettings): PriceSource | undefined =>
  url === null ? undefined : { name: shownAddress(url), read: textReader('price list', url, allow_private) };
