import { computed, signal } from '@preact/signals';
import { percentDecoded } from '../../shared/percentDecoded.ts';
import { accountName, processPlace } from '../state/place.ts';
import { words } from './words.ts';

const read = (): string => location.hash.replace(/^#\/?/u, '');

/** The URL part after `#/`. */
export const route = signal(read());

/** Whether the current page may be left: false while it has unsaved changes. */
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

/** The decoded levels of the route: `schedules`, `home`, `heating.dhw.schedule`. */
export const levels = computed<readonly string[]>(() => route.value.split('/').map(percentDecoded));

/** The URL of a place in the page. */
export const linkTo = (...names: readonly string[]): string => `#/${names.map(encodeURIComponent).join('/')}`;

/** The URL of a place that belongs to the process, even from an account's page. */
export const linkToProcess = (...names: readonly string[]): string => (accountName === '' ? '' : processPlace) + linkTo(...names);
