import type { Home } from './home.ts';

/** The serial some places on: as many digits, and another for each place. */
const serialAfter = (serial: string, places: number): string => {
  const digits = /\d{1,9}$/.exec(serial)?.[0];
  if (digits === undefined) return `${serial}-${places}`;
  return serial.slice(0, -digits.length) + String(Number(digits) + places).padStart(digits.length, '0');
};

/** The same home behind further gateways of the same installation. */
export const furtherHomes = (home: Home, count: number): readonly Home[] =>
  Array.from({ length: count }, (_, i) => {
    const { neighbours: _shownOnce, ...rest } = home;
    return { ...rest, gateway: serialAfter(home.gateway, i + 1) };
  });
