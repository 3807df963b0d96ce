import { signal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { HINT_WORDS, HINTS } from '../../language/hints/hintWords.ts';
import { weekFacts } from '../../schedule/hints/facts.ts';
import { type Hint, hintsOf } from '../../schedule/hints/hints.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { valueAt } from '../model/device.ts';
import type { Place } from '../model/schedules.ts';
import { keep, kept, language } from '../state/preferences.ts';
import { now } from '../state/time.ts';

/** The dismissed hints, by device, schedule and check. */
const dismissed = signal<ReadonlySet<string>>(new Set(kept('hints')?.split('\n')));

const setDismissed = (ids: Iterable<string>): void => {
  dismissed.value = new Set(ids);
  keep('hints', [...dismissed.value].join('\n'));
};

/** What may be looked at in a week; each hint can be dismissed in this browser. */
export const Hints = ({ place: { device, schedule } }: { readonly place: Place }) => {
  const w = HINT_WORDS[language.value];
  const { feature, week, constraints } = schedule;
  const today = localNow(now.value, device.zone).date;
  const facts = weekFacts({ feature, week, defaultMode: constraints.defaultMode, today }, (name, property) =>
    valueAt(device, name, property),
  );
  const hints = hintsOf(facts, HINTS[language.value]);
  const idOf = ({ key }: Hint): string => `${device.name} ${feature} ${key}`;
  const shown = hints.filter((hint) => !dismissed.value.has(idOf(hint)));
  const hidden = hints.filter((hint) => dismissed.value.has(idOf(hint))).map(idOf);
  if (hints.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="hints">
      <h2 id="hints">{w.title}</h2>
      {shown.map((hint) => (
        <p key={hint.key}>
          <strong>{w[hint.level]}:</strong> {hint.text}{' '}
          <Button text={w.dismiss} class="plain" onClick={() => setDismissed([...dismissed.value, idOf(hint)])} />
        </p>
      ))}
      {hidden.length > 0 && (
        <Button
          text={w.again(hidden.length)}
          class="plain"
          onClick={() => setDismissed([...dismissed.value].filter((id) => !hidden.includes(id)))}
        />
      )}
    </section>
  );
};
