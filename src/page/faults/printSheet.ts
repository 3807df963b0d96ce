import type { Signal } from '@preact/signals';

/** Prints the sheet, which is rendered while `isShown`. */
export const printSheet = (isShown: Signal<boolean>): void => {
  isShown.value = true;
  // In some browsers `print` returns before printing ends.
  const done = (): void => {
    isShown.value = false;
  };
  addEventListener('afterprint', done, { once: true });
  // The sheet must be rendered before printing.
  setTimeout(() => print());
};
