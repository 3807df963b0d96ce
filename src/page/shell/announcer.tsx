import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const message = signal('');

/** Makes a screen reader say this after its current text. */
export const announce = (text: string): void => {
  // The same text twice must count as two messages.
  message.value = message.value === text ? `${text}\u00a0` : text;
};

/**
 * For a button that is replaced when its press has an effect: `state` changes then. Says the result, and gives the
 * focus of the button that is gone to the new one in the same place.
 */
export const useReplaced = <Place extends HTMLElement = HTMLDivElement>(state: string, result: string) => {
  const place = useRef<Place>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    if (!isPressed.current) return;
    isPressed.current = false;
    announce(result);
    if (document.activeElement === document.body) place.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [state]);
  const pressed = (): void => {
    isPressed.current = true;
  };
  return [place, pressed] as const;
};

/** The page's only live region. */
export const Announcer = () => (
  <div class="unseen" role="status" aria-live="polite">
    {message.value}
  </div>
);
