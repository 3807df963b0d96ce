import { signal } from '@preact/signals';

const message = signal('');

/** Makes a screen reader say this after its current text. */
export const announce = (text: string): void => {
  // The same text twice must count as two messages.
  message.value = message.value === text ? `${text}\u00a0` : text;
};

/** The page's only live region. */
export const Announcer = () => (
  <div class="unseen" role="status" aria-live="polite">
    {message.value}
  </div>
);
