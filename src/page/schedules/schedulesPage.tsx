import { computed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Place, schedulesOf } from '../model/schedules.ts';
import { Heading } from '../shell/heading.tsx';
import { latePart } from '../shell/late.tsx';
import { levels, linkTo } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { base, devices, isStarting, link, topics } from '../state/store.ts';
import { scheduleName } from './names.ts';
import { SchedulePage } from './schedulePage.tsx';
import { sentenceOf } from './sentence.ts';
import { WeekPicture } from './weekPicture.tsx';

const calendar = latePart(async () => (await import('../calendar/calendarCard.tsx')).CalendarCard);

const seasons = latePart(async () => (await import('../calendar/seasonsCard.tsx')).SeasonsCard);

const places = computed<readonly Place[]>(() =>
  devices.value.flatMap((device) => schedulesOf(topics.value, base.value, device).map((schedule) => ({ device, schedule }))),
);

/** All schedules, or the one in the URL. The open one keeps its changes while the bridge restarts. */
export const SchedulesPage = () => {
  const [, device, feature] = levels.value;
  const last = useRef<Place | undefined>(undefined);
  const isNamed = ({ schedule }: Place): boolean => schedule.device === device && schedule.feature === feature;
  if (feature === undefined) return <List />;
  const known = isStarting.value && last.current && isNamed(last.current) ? last.current : undefined;
  const place = places.value.find(isNamed) ?? known;
  last.current = place;
  if (place) return <SchedulePage key={place.schedule.topic} place={place} all={places.value} />;
  const w = words.value;
  return link.value === 'connecting' ? (
    <p role="status">{w.loading}</p>
  ) : (
    <>
      <Heading text={w.unknownSchedule} />
      <a href={linkTo('schedules')}>{w.allSchedules}</a>
    </>
  );
};

const List = () => {
  const w = words.value;
  return (
    <>
      <Heading text={w.schedules} />
      {places.value.length === 0 && link.value !== 'connecting' && <p class="quiet">{w.noSchedules}</p>}
      <ul class="cards plain-list">
        {places.value.map(({ device, schedule }) => (
          <li key={schedule.topic} class="card stack schedule">
            <h2 dir="auto">
              <a href={linkTo('schedules', schedule.device, schedule.feature)}>{scheduleName(schedule, device)}</a>
            </h2>
            <p class="quiet">{sentenceOf(schedule)}</p>
            <WeekPicture schedule={schedule} />
          </li>
        ))}
      </ul>
      {topics.value.has(`${base.value}/bridge/calendar`) && <calendar.Part />}
      {topics.value.has(`${base.value}/bridge/seasons`) && <seasons.Part />}
    </>
  );
};
