import { seasonText } from '../../language/versions/seasonText.ts';
import { HALF_BAND_K } from '../../schedule/seasons/halfBand.ts';
import { readTextWeek } from '../../schedule/text/weekText.ts';
import { validateWeek } from '../../schedule/validateWeek.ts';
import { isRecord } from '../../shared/json.ts';
import { scheduleIn } from '../model/schedules.ts';
import { capital, dayText, degrees, moment, short } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { base, devices, topics } from '../state/store.ts';
import { words } from '../versions/words.ts';
import { type Json, PreviewCard, placeOf, records, text } from './calendarCard.tsx';

const SEASONS = ['summer', 'winter'] as const;

/** When each season begins, by the rule. */
const beginsOf = ({ from, to, limit }: Json): Readonly<Record<(typeof SEASONS)[number], string>> => {
  if (typeof limit === 'number') return { summer: `≥ ${degrees(limit + HALF_BAND_K)}`, winter: `≤ ${degrees(limit - HALF_BAND_K)}` };
  const [first, last] = [from, to].map((day) => dayText(`2028-${text(day)}`, { day: 'numeric', month: 'long' }));
  return { summer: `${first} – ${last}`, winter: words.value.seasons.otherDays };
};

const Schedule = ({ one }: { readonly one: Json }) => {
  const w = words.value;
  const [device, feature] = [text(one['device']), text(one['feature'])];
  const [profiles, weeks] = [one['profiles'], one['weeks']].map((value) => (isRecord(value) ? value : {}));
  const found = devices.value.find(({ name }) => name === device);
  const constraints = found && scheduleIn(topics.value, base.value, found, feature)?.constraints;
  const isUnfit = (week: string): boolean =>
    week !== '' && constraints !== undefined && !validateWeek(readTextWeek(week), constraints, undefined).ok;
  // The card says above that it waits for the approval.
  const told = one['waits'] === 'approval' ? { ...one, waits: undefined } : one;
  return (
    <li class="stack">
      <strong dir="auto">{placeOf(device, feature)}</strong>
      <p>{seasonText(told, language.value, { degrees, moment })}</p>
      {SEASONS.map((season) => (
        <p key={season} dir="auto">
          {capital(w.season[season] ?? season)} ({beginsOf(one)[season]}): {short(text(profiles?.[season]))}{' '}
          <code>{text(weeks?.[season])}</code> {isUnfit(text(weeks?.[season])) && w.seasons.unfit}
        </p>
      ))}
    </li>
  );
};

/** The weeks that the seasons write, and the button to approve them; empty where nothing follows the seasons. */
export const SeasonsCard = () => <PreviewCard what="seasons" texts={words.value.seasons} content={schedules} />;

const schedules = (report: Json) => (
  <ul class="plain-list stack">
    {records(report['schedules']).map((one) => (
      <Schedule key={`${text(one['device'])} ${text(one['feature'])}`} one={one} />
    ))}
  </ul>
);
