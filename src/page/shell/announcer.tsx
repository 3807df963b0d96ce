import { signal } from '@preact/signals';

const message = signal('');

/** Has a screen reader say this when it has finished what it is saying. */
export const announce = (text: string): void => {
  // The same words twice are two messages.
  message.value = message.value === text ? `${text}\u00a0` : text;
};

/** The one place from which the page speaks. */
export const Announcer = () => (
  <div class="unseen" role="status" aria-live="polite">
    {message.value}
  </div>
);
