import { useState } from 'preact/hooks';
import type { ChangeEntry } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { readJsonWeek } from '../../schedule/jsonWeek.ts';
import { profileNameOf } from '../../schedule/profileName.ts';
import { readTextWeek } from '../../schedule/text/weekText.ts';
import { type Version, versionsOf } from '../../schedule/versions/versions.ts';
import { type WeekEntry, weekChangesOf } from '../../schedule/versions/weekChanges.ts';
import { changedDays, type Week } from '../../schedule/week.ts';
import { profilesOf } from '../model/profiles.ts';
import type { Place } from '../model/schedules.ts';
import { saveProfile } from '../schedules/saveProfile.ts';
import { Form } from '../shell/form.tsx';
import { capital, localMoment } from '../shell/format.ts';
import { Fold, latePart } from '../shell/late.tsx';
import { base, topics } from '../state/store.ts';
import { differenceOf, Offer } from './offer.tsx';
import { Season } from './season.tsx';
import { words } from './words.ts';

const share = latePart(async () => (await import('./share.tsx')).Share);

type Props = {
  readonly place: Place;
  /** The changes of the schedule, the newest first. */
  readonly changes: readonly ChangeEntry[];
  /** Loads older changes, where there are more. */
  readonly older: (() => void) | undefined;
  /** Who has made a change, and until when it held. */
  readonly authorOf: (change: ChangeEntry) => string;
};

/** The weeks that a schedule has had, each to be compared, named and written again; and a week to share, or to take from somebody. */
export const Versions = ({ place, changes, older, authorOf }: Props) => {
  const w = words.value;
  const { schedule } = place;
  const { known, isCut } = weekChangesOf(changes);
  const all = versionsOf(schedule.week, known);
  // What was before the oldest change is its own version once that is known.
  const versions = older && !isCut ? all.slice(0, -1) : all;
  return (
    <>
      <section class="card stack" aria-labelledby="versions">
        <h2 id="versions">{w.title}</h2>
        <Season place={place} />
        {known.length === 0 && <p class="quiet">{w.none}</p>}
        <ol class="plain-list stack">
          {versions.map((version) => (
            <li key={keyOf(version)}>
              <Fold
                title={known.length === 0 ? capital(w.present) : titleOf(version, authorOf)}
                content={() => (
                  <div class="stack">
                    <Offer place={place} written={readJsonWeek(version.week)} />
                    <NameForm week={version.week} />
                  </div>
                )}
              />
              <p class="quiet">{noteOf(version.week, schedule.week, known.length === 0)}</p>
            </li>
          ))}
        </ol>
        {older && !isCut && (
          <div class="buttons">
            <Button text={w.older} onClick={older} />
          </div>
        )}
      </section>
      <Fold class="card stack" title={w.share} content={() => <share.Part week={schedule.week} />} />
      {schedule.isWritable && <Fold class="card stack" title={w.take} content={() => <Take place={place} />} />}
    </>
  );
};

const keyOf = ({ by, after }: Version<WeekEntry<ChangeEntry>>): string => `${by?.entry.key} ${after?.entry.key}`;

const titleOf = ({ by, after }: Version<WeekEntry<ChangeEntry>>, authorOf: Props['authorOf']): string => {
  const w = words.value;
  if (by) return capital(`${localMoment(by.entry.at)}, ${authorOf(by.entry)}`);
  return after ? w.elsewhere(localMoment(after.entry.at)) : w.before;
};

/** What stands below a version: its names, and what it would change, where it is not the only one. */
const noteOf = (week: Week, present: Week, isAlone: boolean): string => {
  const w = words.value;
  return [...namesOf(week).map(w.named), ...(isAlone ? [] : [differenceOf(present, week) || w.present])].join('. ');
};

const profiles = () => profilesOf(topics.value.get(`${base.value}/bridge/info`));

const isWeek = (week: Week, named: Partial<Week>): boolean => changedDays(week, { ...week, ...named }).length === 0;

/** The profiles of which each day is that of the week. */
const namesOf = (week: Week): readonly string[] => profiles().flatMap(({ name, week: named }) => (isWeek(week, named) ? [name] : []));

/** Gives a version a name: as a profile it is kept for ever. */
const NameForm = ({ week }: { readonly week: Week }) => {
  const w = words.value;
  const [typed, setTyped] = useState('');
  const name = profileNameOf(typed);
  const taken = profiles().find((one) => one.name === name && !isWeek(week, one.week));
  const problem = typed.trim() === '' ? undefined : name === undefined ? w.nameWrong : taken && w.nameTaken(taken.name);
  return (
    <Form onSend={() => name !== undefined && !problem && void saveProfile(name, week)}>
      <label class="field">
        {w.name}
        <input value={typed} maxLength={60} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </label>
      <p class={problem === undefined ? 'quiet' : 'problem'}>
        {problem ?? (name === undefined || name === typed.trim() ? w.nameHint : w.nameAs(name))}
      </p>
      <div class="buttons">
        <Button text={w.save} type="submit" disabled={name === undefined || problem !== undefined} />
      </div>
    </Form>
  );
};

/** Takes a week that somebody has shared. */
const Take = ({ place }: { readonly place: Place }) => {
  const w = words.value;
  const [line, setLine] = useState('');
  return (
    <>
      <label class="field">
        {w.takeLine}
        <textarea class="mono" rows={3} maxLength={4000} value={line} onInput={({ currentTarget }) => setLine(currentTarget.value)} />
      </label>
      <p class="quiet">{w.takeHint}</p>
      {line.trim() !== '' && <Offer key={line} place={place} written={readTextWeek(line)} />}
    </>
  );
};
