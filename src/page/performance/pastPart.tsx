import { useSignal } from '@preact/signals';
import type { ImportState } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { PAST_FORMATS, type PastFormat, type PastSeries } from '../../features/energy/pastFiles.ts';
import { nameOf } from '../../language/names/name.ts';
import { deviceTitle } from '../overview/names.ts';
import { Facts } from '../shell/facts.tsx';
import { dayText, quantity } from '../shell/format.ts';
import { words as pageWords } from '../shell/words.ts';
import { postJson } from '../state/api.ts';
import { language } from '../state/preferences.ts';
import { download, words } from './words.ts';

const FILES: Readonly<Record<PastFormat, string>> = { csv: 'past.csv', tsv: 'past.tsv', ha: 'past.json' };

/** A bar covers its whole day, month or year. */
const STYLES: Readonly<Record<PastSeries['bars'][number]['grain'], Intl.DateTimeFormatOptions>> = {
  day: { dateStyle: 'long' },
  month: { month: 'long', year: 'numeric' },
  year: { year: 'numeric' },
};

const rowOf = ({ device, feature, unit, bars }: PastSeries) => {
  const sum = bars.reduce((all, { amount }) => all + amount, 0);
  const [first = '', last = first] = [bars[0], bars.at(-1)].map((bar) => bar && dayText(bar.from, STYLES[bar.grain]));
  const when = <span class="quiet"> {first === last ? first : pageWords.value.period(first, last)}</span>;
  return [`${deviceTitle(device)}: ${nameOf(feature, undefined, language.value)}`, [quantity(sum, unit), when]] as const;
};

/** Buttons to import the past into Home Assistant and to remove it. */
const Import = ({ state }: { readonly state: ImportState }) => {
  const w = words.value;
  const said = useSignal('');
  const isBusy = useSignal(false);
  const run = async (path: 'api/past/import' | 'api/past/clear', done: string): Promise<void> => {
    isBusy.value = true;
    said.value = w.working;
    try {
      const { ok, code = '', message } = await postJson(path);
      said.value = ok ? done : (w.outcomes[code] ?? message);
    } catch {
      said.value = w.failed;
    }
    isBusy.value = false;
  };
  if (state === 'none') return null;
  if (state === 'off') return <p class="quiet">{w.off}</p>;
  return (
    <>
      <p class="choices">
        <Button text={w.import} disabled={isBusy.value} onClick={() => void run('api/past/import', w.imported)} />
        <Button text={w.clear} disabled={isBusy.value} onClick={() => void run('api/past/clear', w.cleared)} />
      </p>
      <p role="status">{said.value}</p>
    </>
  );
};

/** The consumption before the installation, its files, and its import into Home Assistant. */
export const PastPart = ({ past, state }: { readonly past: readonly PastSeries[]; readonly state: ImportState }) => {
  const w = words.value;
  const isThere = past.length > 0;
  return (
    <section class="card stack" aria-label={w.pastTitle}>
      <h2>{w.pastTitle}</h2>
      <p class="quiet">{isThere ? w.pastHelp : w.noPast}</p>
      {isThere && (
        <>
          <Facts class="figures" rows={past.map(rowOf)} />
          <p class="choices">
            {(['csv', 'tsv', 'ha'] as const).map((format) => (
              <Button
                key={format}
                text={w[format === 'ha' ? 'json' : format]}
                onClick={() => download(`heating2mqtt-${FILES[format]}`, PAST_FORMATS[format](past))}
              />
            ))}
          </p>
          <Import state={state} />
        </>
      )}
    </section>
  );
};
