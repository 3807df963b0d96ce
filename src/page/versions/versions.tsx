import { useState } from 'preact/hooks';
import type { ChangeEntry } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { readJsonWeek } from '../../schedule/jsonWeek.ts';
import { readTextWeek } from '../../schedule/text/weekText.ts';
import { type Version, versionsOf, weekChangesOf } from '../../schedule/versions/versions.ts';
import { changedDays, type Week } from '../../schedule/week.ts';
import { profilesOf } from '../model/profiles.ts';
import type { Place } from '../model/schedules.ts';
import { rowsFor } from '../setup/copyField.tsx';
import { capital, localMoment } from '../shell/format.ts';
import { Fold, latePart } from '../shell/late.tsx';
import { base, topics } from '../state/store.ts';
import { differenceOf, Offer } from './offer.tsx';
import { Season } from './season.tsx';
import { words } from './words.ts';

const share = latePart(async () => (await import('./share.tsx')).Share);

type Props = {
  readonly place: Place;
  /** The changes of the schedule, newest first. */
  readonly changes: readonly ChangeEntry[];
  /** Loads older changes, if there are any. */
  readonly older: (() => void) | undefined;
  /** The author of a change, and until when it held. */
  readonly authorOf: (change: ChangeEntry) => string;
};

/** The past weeks of a schedule, to compare, name and restore; and a week to share or import. */
export const Versions = ({ place, changes, older, authorOf }: Props) => {
  const w = words.value;
  const { schedule } = place;
  const { known, isCut } = weekChangesOf(changes);
  const all = versionsOf(schedule.week, known);
  // The week before the oldest change is listed only once the change that led to it is loaded.
  const versions = older && !isCut ? all.slice(0, -1) : all;
  return (
    <>
      <section class="card stack" aria-labelledby="versions">
        <h2 id="versions">{w.title}</h2>
        <Season place={place} />
        {known.length === 0 && <p class="quiet">{w.none}</p>}
        <ol class="plain-list stack">
          {(known.length === 0 ? [] : versions).map((version) => (
            <li key={keyOf(version)}>
              <Fold title={titleOf(version, authorOf)} content={() => <Offer schedule={schedule} written={readJsonWeek(version.week)} />} />
              <p class="quiet folded">{differenceOf(schedule.week, version.week) || w.present}</p>
            </li>
          ))}
        </ol>
        {older && !isCut && <Button text={w.older} class="start" onClick={older} />}
      </section>
      <Fold class="card stack" title={w.share} content={() => <share.Part week={schedule.week} />} />
      {schedule.isWritable && <Fold class="card stack" title={w.take} content={() => <Take schedule={schedule} />} />}
    </>
  );
};

const keyOf = ({ by, after }: Version<ChangeEntry>): string => `${by?.key} ${after?.key}`;

const titleOf = ({ by, after, week }: Version<ChangeEntry>, authorOf: Props['authorOf']): string => {
  const w = words.value;
  const origin = by ? capital(`${localMoment(by.at)}, ${authorOf(by)}`) : after ? w.elsewhere(localMoment(after.at)) : w.before;
  return [origin, ...namesOf(week).map(w.named)].join('. ');
};

/** The profiles that equal the week on every day. */
const namesOf = (week: Week): readonly string[] =>
  profilesOf(topics.value.get(`${base.value}/bridge/info`))
    .filter((named) => changedDays(week, { ...week, ...named.week }).length === 0)
    .map(({ name }) => name);

/** Imports a shared week. */
const Take = ({ schedule }: Pick<Place, 'schedule'>) => {
  const w = words.value;
  const [line, setLine] = useState('');
  return (
    <>
      <label class="field">
        {w.takeLine}
        <textarea
          class="mono whole"
          rows={Math.max(3, rowsFor(line))}
          maxLength={4000}
          value={line}
          onInput={({ currentTarget }) => setLine(currentTarget.value)}
        />
      </label>
      <p class="quiet">{w.takeHint}</p>
      {line.trim() !== '' && <Offer key={line} schedule={schedule} written={readTextWeek(line)} />}
    </>
  );
};
