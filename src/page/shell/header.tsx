import { mdiCalendarWeek, mdiChartBar, mdiCogOutline, mdiFormatListBulleted, mdiHomeThermometerOutline, mdiTextBoxOutline } from '@mdi/js';
import { session } from '../state/api.ts';
import { accountName } from '../state/place.ts';
import { newer, version } from '../state/store.ts';
import { DisplayMenu } from './displayMenu.tsx';
import { Icon } from './icon.tsx';
import { latePart } from './late.tsx';
import { levels, linkTo, linkToProcess } from './route.ts';
import { words } from './words.ts';

const switcher = latePart(async () => (await import('../accounts/switcher.tsx')).Switcher);
/** Views of the process, not of one account. */
const OF_PROCESS: readonly string[] = ['log', 'settings'];

const PAGES = [
  { level: '', name: 'overview', icon: mdiHomeThermometerOutline },
  { level: 'schedules', name: 'schedules', icon: mdiCalendarWeek },
  { level: 'values', name: 'values', icon: mdiFormatListBulleted },
  { level: 'performance', name: 'performance', icon: mdiChartBar },
  { level: 'log', name: 'log', icon: mdiTextBoxOutline },
  { level: 'settings', name: 'settings', icon: mdiCogOutline },
] as const;

/** The page name and navigation. No navigation before the login and during the first setup. */
export const Header = ({ hasPages }: { readonly hasPages: boolean }) => {
  const w = words.value;
  // Without a main account, the account table is the overview.
  const isTable = session.value?.accounts === 'only' && accountName === '';
  const [named = ''] = levels.value;
  // Views that are reached from another view.
  const within: Readonly<Record<string, string>> = { chart: '', accounts: isTable ? '' : 'settings' };
  const current = Object.hasOwn(within, named) ? within[named] : named;
  const pages = isTable ? PAGES.filter(({ level }) => level === '' || OF_PROCESS.includes(level)) : PAGES;
  return (
    <header class={hasPages ? 'top paged' : 'top'}>
      <div class="top-inner">
        <span class="brand">heating2mqtt</span>
        {hasPages && (
          <nav aria-label={w.navigation}>
            {pages.map(({ level, name, icon }) => (
              <a
                key={level}
                href={(OF_PROCESS.includes(level) ? linkToProcess : linkTo)(level)}
                {...(current === level ? { 'aria-current': named === level ? ('page' as const) : true } : {})}
              >
                <Icon path={icon} />
                <span>{w[name]}</span>
              </a>
            ))}
          </nav>
        )}
        {hasPages && session.value?.accounts && <switcher.Part />}
        <DisplayMenu />
      </div>
    </header>
  );
};

/** The footer of every view: the version, and a newer one if known. */
export const Footer = () => (
  <footer>
    <a href={linkToProcess('settings', 'version')}>
      heating2mqtt {version.value}
      {newer.value && ` → ${newer.value}`}
    </a>
  </footer>
);
