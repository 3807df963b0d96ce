import type { Place } from '../model/schedules.ts';
import { Outcome } from '../overview/outcome.tsx';
import { Temporaries } from '../overview/temporaries.tsx';
import { Back, Heading } from '../shell/heading.tsx';
import { latePart } from '../shell/late.tsx';
import { words } from '../shell/words.ts';
import { topics } from '../state/store.ts';
import { scheduleName } from './names.ts';
import { profileOutcome } from './saveProfile.ts';
import { sentenceOf } from './sentence.ts';
import { WeekEditor } from './weekEditor.tsx';

const hints = latePart(async () => (await import('./hints.tsx')).Hints);
const owner = latePart(async () => (await import('../calendar/calendarCard.tsx')).OwnerLine);
const changes = latePart(async () => (await import('../history/changeList.tsx')).ScheduleChanges);

/** One schedule: current state, week editor, hints, the bridge's undo, and change history. */
export const SchedulePage = ({ place, all }: { readonly place: Place; readonly all: readonly Place[] }) => {
  const { schedule, device } = place;
  const w = words.value;
  const name = scheduleName(schedule, device);
  const { topic, until } = schedule;
  return (
    <>
      <Back to="schedules" text={w.allSchedules} />
      <Heading text={name} />
      <p>{sentenceOf(schedule)}</p>
      {topics.value.get(`${topic}/overview`)?.includes('"owner"') && <owner.Part topic={topic} />}
      {until && <Temporaries temporaries={[{ ...schedule, until }]} name={name} />}
      {!schedule.isWritable && <p class="banner">{w.readOnly}</p>}
      <WeekEditor place={place} all={all} />
      <hints.Part place={place} />
      {all.map((one) =>
        one.schedule.topic === topic ? null : (
          <Outcome key={one.schedule.topic} topic={`${one.schedule.topic}/set`} name={scheduleName(one.schedule, one.device)} isNamed />
        ),
      )}
      {profileOutcome.value && <p class={`outcome ${profileOutcome.value.isProblem ? 'problem' : 'done'}`}>{profileOutcome.value.text}</p>}
      <changes.Part place={place} />
    </>
  );
};
