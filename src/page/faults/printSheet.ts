import type { Signal } from '@preact/signals';

/** Prints the sheet that is drawn while `isShown`. */
export const printSheet = (isShown: Signal<boolean>): void => {
  isShown.value = true;
  // Not every browser waits in `print` until the paper is done.
  const done = (): void => {
    isShown.value = false;
  };
  addEventListener('afterprint', done, { once: true });
  // The sheet is drawn before the paper is.
  setTimeout(() => print());
};
