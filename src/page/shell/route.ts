import { computed, signal } from '@preact/signals';
import { percentDecoded } from '../../shared/percentDecoded.ts';
import { accountName, processPlace } from '../state/place.ts';
import { words } from './words.ts';

const read = (): string => location.hash.replace(/^#\/?/u, '');

/** The part of the address behind `#/`. */
export const route = signal(read());

/** Whether the page that is shown may be left: false while it has changes that are not saved. */
export const mayLeave: { current: () => boolean } = { current: () => true };

addEventListener('hashchange', ({ oldURL }) => {
  if (read() === route.value) return;
  if (!mayLeave.current() && !confirm(words.value.leave)) {
    history.replaceState(null, '', oldURL);
    return;
  }
  mayLeave.current = () => true;
  route.value = read();
});
addEventListener('beforeunload', (event) => {
  if (!mayLeave.current()) event.preventDefault();
});

/** Its levels, decoded: `schedules`, `home`, `heating.dhw.schedule`. */
export const levels = computed<readonly string[]>(() => route.value.split('/').map(percentDecoded));

/** The address of a place in the page. */
export const linkTo = (...names: readonly string[]): string => `#/${names.map(encodeURIComponent).join('/')}`;

/** The address of a place that belongs to the process, also where the page is that of an account. */
export const linkToProcess = (...names: readonly string[]): string => (accountName === '' ? '' : processPlace) + linkTo(...names);
