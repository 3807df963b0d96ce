import { computed, signal } from '@preact/signals';

const read = (): string => location.hash.replace(/^#\/?/u, '');

/** The part of the address behind `#/`. */
export const route = signal(read());

addEventListener('hashchange', () => {
  route.value = read();
});

/** Its levels, decoded: `schedules`, `home`, `heating.dhw.schedule`. */
export const levels = computed<readonly string[]>(() => route.value.split('/').map(decoded));

const decoded = (level: string): string => {
  try {
    return decodeURIComponent(level);
  } catch {
    return level;
  }
};

/** The address of a place in the page. */
export const linkTo = (...names: readonly string[]): string => `#/${names.map(encodeURIComponent).join('/')}`;
