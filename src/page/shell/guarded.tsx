import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { route } from './route.ts';
import { words } from './words.ts';

/** A view of the page. If rendering fails, a message replaces it. Navigation to another view retries. */
export const Guarded = ({ children }: { readonly children: ComponentChildren }) => {
  const failedAt = useRef<string | undefined>(undefined);
  const [error, again] = useErrorBoundary((cause: unknown) => {
    failedAt.current = route.peek();
    reportError(cause);
  });
  if (error === undefined || failedAt.current !== route.value) return <>{children}</>;
  const w = words.value;
  return (
    <>
      <h1>heating2mqtt</h1>
      <p class="banner" role="alert">
        {w.notShown} <Button text={w.again} onClick={again} />
      </p>
    </>
  );
};
