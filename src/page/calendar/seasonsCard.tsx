import { seasonText } from '../../language/versions/seasonText.ts';
import { readTextWeek } from '../../schedule/text/weekText.ts';
import { validateWeek } from '../../schedule/validateWeek.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { scheduleIn } from '../model/schedules.ts';
import { capital, dayText, degrees, moment, short } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { base, devices, topics } from '../state/store.ts';
import { words } from '../versions/words.ts';
import { ApprovalButtons, type Json, placeOf, records, text } from './calendarCard.tsx';

const SEASONS = ['summer', 'winter'] as const;
/** Half of the hysteresis, as in `schedule/seasons/season.ts`. */
const HALF_BAND_K = 1;

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
export const SeasonsCard = () => {
  const w = words.value.seasons;
  const topic = bridgeTopic(base.value, 'seasons');
  const report = jsonObject(topics.value.get(topic) ?? '');
  if (!report) return null;
  const told = report['state'] === 'on' ? w.on : report['state'] === 'changed' ? w.changed : w.off;
  return (
    <section class="card stack">
      <h2>{w.title}</h2>
      <p>{told}</p>
      <ul class="plain-list stack">
        {records(report['schedules']).map((one) => (
          <Schedule key={`${text(one['device'])} ${text(one['feature'])}`} one={one} />
        ))}
      </ul>
      <ApprovalButtons topic={topic} report={report} name={w.title} told={told} />
    </section>
  );
};
