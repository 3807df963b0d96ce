import { signal, useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { Button } from '../../editor/view/Button.tsx';
import { into } from './form.tsx';
import { words } from './words.ts';

/** A page part whose code is loaded at its first render, or earlier by `prefetch`. */
type Late<Props> = { readonly Part: ComponentType<Props>; readonly prefetch: () => void };

/** A page of this kind. */
export type LatePage = Late<object>;

/** A part from a lazily imported module. Loading fails if the bridge was updated or is unreachable. */
export const latePart = <Props extends object>(load: () => Promise<ComponentType<Props>>, heading?: JSX.Element): Late<Props> => {
  const loaded = signal<ComponentType<Props> | undefined>();
  const hasFailed = signal(false);
  let isLoading = false;
  const prefetch = (): void => {
    if (isLoading) return;
    isLoading = true;
    load().then(into(loaded), () => {
      isLoading = false;
      hasFailed.value = true;
    });
  };
  const Part = (props: Props) => {
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    prefetch();
    const w = words.value;
    return (
      <>
        {heading}
        {hasFailed.value ? (
          <p class="banner" role="alert">
            {w.notLoaded}
            <Button text={w.reload} onClick={() => location.reload()} />
          </p>
        ) : (
          <p role="status">{w.loading}</p>
        )}
      </>
    );
  };
  return { Part, prefetch };
};

type FoldProps = { readonly title: string; readonly content: () => JSX.Element; readonly class?: string };

/** A collapsed part. Its content is rendered when opened. */
export const Fold = ({ title, content, class: name }: FoldProps) => {
  const isOpen = useSignal(false);
  return (
    <details
      class={name}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {isOpen.value && content()}
    </details>
  );
};

/** A page from a lazily imported module. */
export const latePage = (load: () => Promise<ComponentType>): LatePage => latePart(load, <h1 class="unseen">heating2mqtt</h1>);
