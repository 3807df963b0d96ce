import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { EditorStore } from '../state/store.ts';
import { Banner } from './around/Banner.tsx';
import { Legend } from './around/Legend.tsx';
import { SaveBar } from './around/SaveBar.tsx';
import { TextForm } from './around/TextForm.tsx';
import { Toolbar } from './around/Toolbar.tsx';
import { StoreContext } from './context.ts';
import { DayStrip } from './grid/DayStrip.tsx';
import { Grid } from './grid/Grid.tsx';
import { listenAround } from './listeners.ts';
import { Panel } from './panel/Panel.tsx';

const dialogs = signal<typeof import('./around/dialogs.ts').DIALOGS | undefined>(undefined);
const loadDialogs = async (): Promise<void> => {
  dialogs.value = (await import('./around/dialogs.ts')).DIALOGS;
};

/** From this width on, rows are horizontal. */
const WIDE_PX = 700;

/** The keyboard help. */
const Help = ({ store }: { readonly store: EditorStore }) => {
  const words = store.words.value;
  return (
    <details class="help">
      <summary>{words.help}</summary>
      <dl>
        {words.helpRows.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

/** The whole editor. */
export const Editor = ({ store }: { readonly store: EditorStore }) => {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = root;
    if (!current) return;
    const measure = (): void => {
      store.isWide.value = current.clientWidth >= WIDE_PX;
    };
    measure();
    // Measure in the next frame: a layout change in this one would trigger the observer again.
    const observer = new ResizeObserver(() => void requestAnimationFrame(measure));
    observer.observe(current);
    const end = new AbortController();
    listenAround(current, store, end.signal);
    return () => {
      observer.disconnect();
      end.abort();
    };
  }, [store]);
  const words = store.words.value;
  const isReadonly = store.isReadonly.value;
  const dialog = store.dialog.value;
  // Loads the dialogs after the first render, and retries after a failure.
  useEffect(() => {
    if (!dialogs.value) loadDialogs().catch(() => undefined);
  }, [dialog]);
  const Dialog = dialog && dialogs.value?.[dialog];
  const isWide = store.isWide.value;
  // On a phone, an empty bar is hidden to save space.
  const hasNews = store.changed.value.length > 0 || store.draft.value !== undefined || store.answer.value !== undefined;
  const isBarNeeded = hasNews && !store.open.value;
  return (
    <StoreContext.Provider value={store}>
      <div ref={root} class={`editor ${isWide ? 'wide' : 'narrow'}${isReadonly ? ' readonly' : ''}`} lang={store.language.value}>
        {store.isKnown.value ? (
          <>
            {!isReadonly && <Toolbar />}
            <Banner />
            {!isWide && <DayStrip />}
            <p id="grid-help" class="hidden">
              {words.gridHelp}
            </p>
            <Grid />
            {!isWide && store.open.value && (
              <div class="dock">
                <Panel />
              </div>
            )}
            <Legend />
            <div class="more">
              <TextForm />
              {!isReadonly && <Help store={store} />}
            </div>
            {!isReadonly && (isWide || isBarNeeded) && (
              <div class="dock">
                <SaveBar />
              </div>
            )}
            {Dialog && <Dialog />}
          </>
        ) : (
          <p>{words.loading}</p>
        )}
        <output class="hidden">{store.said.value}</output>
      </div>
    </StoreContext.Provider>
  );
};
