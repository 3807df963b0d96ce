import type { JSX } from 'preact';
import { Button } from '../../editor/view/Button.tsx';
import { CALENDAR_WORDS } from '../../language/plans/calendarWords.ts';
import { spanText } from '../../language/plans/spanText.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { deviceTitle } from '../overview/names.ts';
import { Outcome } from '../overview/outcome.tsx';
import { scheduleName } from '../schedules/names.ts';
import { useReplaced } from '../shell/announcer.tsx';
import { dayText, mode, moment, short } from '../shell/format.ts';
import { inLanguage } from '../state/preferences.ts';
import { base, devices, topics } from '../state/store.ts';
import { send, writes } from '../state/writes.ts';

const words = inLanguage(CALENDAR_WORDS);

export type Json = Readonly<Record<string, unknown>>;

export const records = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').map(short) : [];
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const effectOf = (does: unknown): string => {
  const w = words.value.does;
  const { profile, program, holiday, holidayAtHome } = isRecord(does) ? does : {};
  if (typeof profile === 'string') return w.profile(short(profile));
  if (typeof program === 'string') return w.program(mode(program));
  const dates = isRecord(holiday) ? holiday : isRecord(holidayAtHome) ? holidayAtHome : {};
  return `${holiday === undefined ? w.holidayAtHome : w.holiday} (${dayText(text(dates['start']))} – ${dayText(text(dates['end']))})`;
};

/** The display name of the place. */
export const placeOf = (name: string, feature: string): string => {
  const device = devices.value.find((one) => one.name === name);
  const [, place] = /^(.+)\.operating\./u.exec(feature) ?? [];
  if (!device) return short(name);
  if (place === undefined) return scheduleName({ feature }, device);
  return place === 'heating' ? deviceTitle(name) : scheduleName({ feature: `${place}.heating.schedule` }, device);
};

const Entry = ({ entry }: { readonly entry: Json }) => {
  const instead = texts(entry['instead_of']).join(', ');
  return (
    <li>
      {spanText(moment(text(entry['begin'])), moment(text(entry['until'])))}:{' '}
      <strong dir="auto">{texts(entry['titles']).join(', ')}</strong> → {effectOf(entry['does'])},{' '}
      <span dir="auto">{placeOf(text(entry['device']), text(entry['feature']))}</span>
      {instead !== '' && ` (${words.value.instead(instead)})`}
    </li>
  );
};

/** Problems of a calendar that the user should know. */
const Hints = ({ calendar }: { readonly calendar: Json }) => {
  const w = words.value;
  const name = short(text(calendar['name'])) || w.only;
  return (
    <>
      {text(calendar['unread']) !== '' && <p class="banner">{w.unread(name)}</p>}
      {calendar['stale'] === true && <p class="banner">{w.stale(name)}</p>}
      {typeof calendar['skipped'] === 'number' && calendar['skipped'] > 0 && <p class="quiet">{w.skipped(name, calendar['skipped'])}</p>}
    </>
  );
};

type PreviewProps = {
  readonly what: 'calendar' | 'seasons';
  readonly texts: Readonly<Record<'title' | 'on' | 'off' | 'changed', string>>;
  readonly content: (report: Json) => JSX.Element;
};

/** A preview with the buttons that approve it, and switch it off; empty where nothing is configured. */
export const PreviewCard = ({ what, texts: { title, ...states }, content }: PreviewProps) => {
  const topic = bridgeTopic(base.value, what);
  const report = jsonObject(topics.value.get(topic) ?? '');
  if (!report) return null;
  const { state } = report;
  const told = states[state === 'on' || state === 'changed' ? state : 'off'];
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <p>{told}</p>
      {content(report)}
      <ApprovalButtons topic={topic} report={report} name={title} told={told} />
    </section>
  );
};

type ApprovalProps = { readonly topic: string; readonly report: Json; readonly name: string; readonly told: string };

/** The buttons that approve a preview, and switch it off. */
const ApprovalButtons = ({ topic, report: { state, key }, name, told }: ApprovalProps) => {
  const w = words.value;
  const [place, pressed] = useReplaced(text(state), `${name}: ${told}`);
  const order = (payload: string): void => {
    pressed();
    void send(`${topic}/set`, payload);
  };
  return (
    <>
      <div class="buttons" ref={place}>
        {state !== 'on' && <Button text={w.approve} class="primary" onClick={() => order(text(key))} />}
        {state !== 'off' && <Button text={w.switchOff} onClick={() => order('off')} />}
      </div>
      {/* The text above already says when it is done. */}
      {writes.value.get(`${topic}/set`)?.phase !== 'done' && <Outcome topic={`${topic}/set`} name={name} />}
    </>
  );
};

/** The effect of calendar events. */
export const CalendarCard = () => <PreviewCard what="calendar" texts={words.value} content={effects} />;

const effects = (report: Json) => {
  const w = words.value;
  const [plan, calendars] = [records(report['plan']), records(report['calendars'])];
  const [unmatched, without] = [texts(report['unmatched']).join(', '), texts(report['without_target']).join(', ')];
  const isHeard = calendars.some(({ unread, events }) => unread === undefined || events !== 0);
  return (
    <>
      {plan.length > 0 ? (
        <ul>
          {plan.map((entry) => (
            <Entry key={JSON.stringify(entry)} entry={entry} />
          ))}
        </ul>
      ) : (
        <p class="quiet">{isHeard ? w.nothing : w.noCalendar}</p>
      )}
      {unmatched !== '' && <p class="quiet">{w.unmatched(unmatched)}</p>}
      {without !== '' && <p>{w.without(without)}</p>}
      {calendars.map((calendar) => (
        <Hints key={text(calendar['name'])} calendar={calendar} />
      ))}
      <details>
        <summary>{w.rules}</summary>
        <ol>
          {texts(report['rules']).map((rule) => (
            <li key={rule} dir="auto">
              {rule}
            </li>
          ))}
        </ol>
      </details>
    </>
  );
};

/** The owner of a schedule, if it is a plan, or a manual change that plans respect. */
export const OwnerLine = ({ topic }: { readonly topic: string }) => {
  const w = words.value.owner;
  const { owner, reason, waits } = jsonObject(topics.value.get(`${topic}/overview`) ?? '') ?? {};
  if (owner === 'hand') return <p class="quiet">{w.hand}</p>;
  if (owner !== 'calendar' && owner !== 'price') return null;
  return (
    <p class="banner" dir="auto">
      {w[waits === undefined ? owner : 'waits'](short(text(reason)))}
    </p>
  );
};
