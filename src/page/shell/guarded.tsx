import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { route } from './route.ts';
import { words } from './words.ts';

/** A view of the page. Where drawing it fails, a sentence stands in its place and the rest of the page goes on; another view is tried anew. */
export const Guarded = ({ children }: { readonly children: ComponentChildren }) => {
  const [error, again] = useErrorBoundary((cause: unknown) => reportError(cause));
  const here = route.value;
  useEffect(again, [here]);
  if (error === undefined) return <>{children}</>;
  const w = words.value;
  return (
    <>
      <h1>heating2mqtt</h1>
      <p class="banner" role="alert">
        {w.notShown}{' '}
        <button type="button" onClick={again}>
          {w.again}
        </button>
      </p>
    </>
  );
};
