import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { words } from './say.ts';

/** A page whose code is loaded when it is first shown, or before that by `prefetch`. */
export type LatePage = { readonly Page: ComponentType; readonly prefetch: () => void };

/** Makes a page of a module that is imported late. Where it cannot be loaded, the bridge was updated, or is away. */
export const latePage = (load: () => Promise<ComponentType>): LatePage => {
  const loaded = signal<ComponentType | undefined>();
  const hasFailed = signal(false);
  let isLoading = false;
  const prefetch = (): void => {
    if (isLoading) return;
    isLoading = true;
    load().then(
      (component) => {
        loaded.value = component;
      },
      () => {
        isLoading = false;
        hasFailed.value = true;
      },
    );
  };
  const Page = () => {
    const Loaded = loaded.value;
    if (Loaded) return <Loaded />;
    prefetch();
    const w = words.value;
    return (
      <>
        <h1 class="unseen">heating2mqtt</h1>
        {hasFailed.value ? (
          <p class="banner" role="alert">
            {w.notLoaded}
            <button type="button" onClick={() => location.reload()}>
              {w.reload}
            </button>
          </p>
        ) : (
          <p role="status">{w.loading}</p>
        )}
      </>
    );
  };
  return { Page, prefetch };
};
