import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { isLoggedOut, isRefusedByHub, loadSession, session } from '../state/api.ts';
import { start } from '../state/live.ts';
import { accountName } from '../state/place.ts';
import { isStale } from '../state/store.ts';
import { Announcer } from './announcer.tsx';
import { Guarded } from './guarded.tsx';
import { Footer, Header } from './header.tsx';
import { type LatePage, latePage } from './late.tsx';
import { levels } from './route.ts';
import { words } from './words.ts';

const schedules = latePage(async () => (await import('../schedules/schedulesPage.tsx')).SchedulesPage);
const overview = latePage(async () => (await import('../overview/overviewPage.tsx')).OverviewPage);
const login = latePage(async () => (await import('./loginForm.tsx')).LoginForm);
const setup = latePage(async () => (await import('../setup/setupPage.tsx')).SetupPage);

const PAGES: Readonly<Record<string, LatePage>> = {
  '': overview,
  schedules,
  values: latePage(async () => (await import('../values/valuesPage.tsx')).ValuesPage),
  chart: latePage(async () => (await import('../chart/chartPage.tsx')).ChartPage),
  performance: latePage(async () => (await import('../performance/performancePage.tsx')).PerformancePage),
  log: latePage(async () => (await import('../log/logPage.tsx')).LogPage),
  settings: latePage(async () => (await import('../settings/settingsPage.tsx')).SettingsPage),
  accounts: latePage(async () => (await import('../accounts/accountsPage.tsx')).AccountsPage),
};

const isUnreachable = signal(false);
const RETRY_MS = 3000;
const PREFETCH_MS = 1000;

/** Loads the session, and retries until the server answers. */
const begin = async (): Promise<void> => {
  try {
    await loadSession();
    isUnreachable.value = false;
  } catch (error) {
    if (isLoggedOut(error)) return;
    isUnreachable.value = true;
    setTimeout(() => void begin(), RETRY_MS);
  }
};

/** Starts the page. */
export const startApp = (): void => {
  // In parallel with the texts.
  if (levels.value[0] === '') overview.prefetch();
  void begin();
  effect(() => {
    if (session.value?.mode !== 'run' || session.value.login === 'needed') return;
    start();
    // Prefetch while the overview is visible, so that the editor opens at once.
    setTimeout(schedules.prefetch, PREFETCH_MS);
  });
};

const Content = () => {
  const w = words.value;
  const found = session.value;
  const isOut = found?.login === 'needed';
  const wasShown = useRef(false);
  useEffect(() => {
    // An open modal dialog blocks everything else, even while it is hidden.
    if (isOut) document.querySelector('heating-week-editor')?.shadowRoot?.querySelector('dialog')?.close();
  }, [isOut]);
  if (!found)
    return (
      <main id="content">
        <h1>heating2mqtt</h1>
        <p role="status">{isUnreachable.value ? w.noConnection : w.loading}</p>
      </main>
    );
  if (found.mode !== 'run') return <setup.Part />;
  wasShown.current ||= !isOut;
  const [named = ''] = levels.value;
  // The back button, or another tab, can lead to a finished setup.
  const level = named === 'setup' ? '' : named;
  // Without a main account there is nothing else to show here.
  const name = level === '' && found.accounts === 'only' && accountName === '' ? 'accounts' : level;
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  // Behind the login the view is kept, with all unsaved input.
  const view = (
    <main {...(isOut ? {} : { id: 'content' })} hidden={isOut}>
      {isRefusedByHub.value && (
        <p class="banner" role="alert">
          {w.ingressEnded}
        </p>
      )}
      {isStale.value && (
        <p class="banner" role="alert">
          {w.updated} <Button text={w.reload} onClick={() => location.reload()} />
        </p>
      )}
      {page ? (
        <Guarded>
          <page.Part />
        </Guarded>
      ) : (
        <>
          <h1>{w.notFound}</h1>
          <a href="#/">{w.toOverview}</a>
        </>
      )}
    </main>
  );
  return (
    <>
      {isOut && <login.Part />}
      {wasShown.current && view}
    </>
  );
};

/** The whole page. */
export const App = () => {
  const hasPages = session.value?.mode === 'run' && session.value.login !== 'needed';
  return (
    <>
      <Button text={words.value.skip} class="skip" onClick={() => document.querySelector<HTMLElement>('#content h1')?.focus()} />
      <Header hasPages={hasPages} />
      <Content />
      {hasPages && <Footer />}
      <Announcer />
    </>
  );
};
