import { signal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { HINT_WORDS, HINTS } from '../../language/hints/hintWords.ts';
import { type Hint, hintsOf } from '../../schedule/hints/checks.ts';
import { type Measured, measuredPlaces, weekFacts } from '../../schedule/hints/facts.ts';
import { type Move, moveBegin } from '../../schedule/hints/measured.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { propertyTopic } from '../../topics/topicNames.ts';
import { valueAt } from '../model/device.ts';
import type { Place } from '../model/schedules.ts';
import { historyOf } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { keep, kept, language } from '../state/preferences.ts';
import { base } from '../state/store.ts';
import { now } from '../state/time.ts';
import { draw } from './weekEditor.tsx';

/** Two changes of a week are rarely closer, and winter conditions hardly change for this long. */
const DAYS = 28;

/** Measured data of a schedule and what it controls, loaded once; undefined until then or if unavailable. */
const useMeasured = ({ device, schedule: { feature } }: Place): Measured | undefined => {
  const places = Object.entries(measuredPlaces(feature, (name, property) => valueAt(device, name, property)));
  const topics = places.map(([key, place]) => [key, propertyTopic(base.value, device.name, place.feature, place.property)] as const);
  const load = async (): Promise<Measured> => {
    const all = await Promise.all(topics.map(async ([key, topic]) => [key, await historyOf(topic, DAYS)] as const));
    const now = Math.max(0, ...all.map(([, answer]) => answer.now));
    return { zone: device.zone, now, points: Object.fromEntries(all.map(([key, answer]) => [key, answer.points])) };
  };
  const [measured] = useLoaded(load, [JSON.stringify(topics)]);
  // The other hints need no history.
  return measured === 'failed' ? undefined : measured;
};

/** The dismissed hints, by device, schedule and check. */
const dismissed = signal<ReadonlySet<string>>(new Set(kept('hints')?.split('\n')));

const setDismissed = (ids: Iterable<string>): void => {
  dismissed.value = new Set(ids);
  keep('hints', [...dismissed.value].join('\n'));
};

/** Moves the start of an entry in the drawing. */
const DrawButton = ({ move }: { readonly move: Move }) => {
  const w = HINT_WORDS[language.value];
  return <Button text={w.move(move.to)} onClick={() => draw((week) => moveBegin(week, move), w.moved)} />;
};

/** Hints on a week. Each hint can be dismissed in this browser. */
export const Hints = ({ place }: { readonly place: Place }) => {
  const { device, schedule } = place;
  const measured = useMeasured(place);
  const w = HINT_WORDS[language.value];
  const { feature, week, constraints } = schedule;
  const today = localNow(now.value, device.zone).date;
  const { defaultMode, resolution } = constraints;
  const facts = weekFacts({ feature, week, defaultMode, today, resolution, measured }, (name, property) => valueAt(device, name, property));
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
          <strong>{w[hint.level]}:</strong> {hint.text}
          <span class="buttons">
            {hint.move && schedule.isWritable && <DrawButton move={hint.move} />}
            <Button text={w.dismiss} onClick={() => setDismissed([...dismissed.value, idOf(hint)])} />
          </span>
        </p>
      ))}
      {hidden.length > 0 && (
        <Button
          text={w.again(hidden.length)}
          class="start"
          onClick={() => setDismissed([...dismissed.value].filter((id) => !hidden.includes(id)))}
        />
      )}
    </section>
  );
};
