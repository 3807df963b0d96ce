import { useState } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { differenceSentence } from '../../language/versions/differenceWords.ts';
import { fitWeek } from '../../schedule/versions/fitWeek.ts';
import { weekDifference } from '../../schedule/versions/weekDifference.ts';
import type { Week } from '../../schedule/week.ts';
import type { WrittenWeek } from '../../schedule/writtenWeek.ts';
import { endKeys } from '../model/moments.ts';
import type { Place } from '../model/schedules.ts';
import { EndChoice } from '../overview/endChoice.tsx';
import { Outcome } from '../overview/outcome.tsx';
import { scheduleName } from '../schedules/names.ts';
import { mode } from '../shell/format.ts';
import { rule } from '../shell/words.ts';
import { language } from '../state/preferences.ts';
import { payloadOf, send } from '../state/writes.ts';
import { WeekBars } from './weekBars.tsx';
import { words } from './words.ts';

/** A sentence on the way from one week to another. */
export const differenceOf = (before: Week, after: Week): string => differenceSentence(weekDifference(before, after), language.value);

const MOST_ISSUES = 5;

/** A week that can be written over the present one, for ever or for a time: what it changes, and where the device does not take it the nearest that it takes. */
export const Offer = ({ place, written }: { readonly place: Place; readonly written: WrittenWeek }) => {
  const w = words.value;
  const { schedule, device } = place;
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const { week, issues, unknownModes } = fitWeek(written, schedule.week, schedule.constraints, chosen);
  const sentence = week && differenceOf(schedule.week, week);
  const [wasSent, setSent] = useState(false);
  const topic = `${schedule.topic}/set`;
  const write = (keys: Readonly<Record<string, string>>): void => {
    setSent(true);
    void send(topic, payloadOf(week, keys), week);
  };
  return (
    <div class="stack">
      {issues.length > 0 && (
        <>
          <p class="problem">{w.refused}</p>
          <ul>
            {[...new Set(issues.map((issue) => rule.value(issue)))].slice(0, MOST_ISSUES).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {unknownModes.length > 0 && <p>{w.modes}</p>}
      {unknownModes.map((unknown) => (
        <label key={unknown}>
          {w.instead(mode(unknown))}{' '}
          <select
            value={chosen.get(unknown) ?? '?'}
            onChange={({ currentTarget }) => setChosen(new Map(chosen).set(unknown, currentTarget.value))}
          >
            <option value="?" disabled>
              {w.choose}
            </option>
            {schedule.constraints.modes?.map((one) => (
              <option key={one} value={one}>
                {mode(one)}
              </option>
            ))}
            <option value="">{w.leaveOut}</option>
          </select>
        </label>
      ))}
      {week && issues.length > 0 && <p>{w.nearest}</p>}
      {sentence === '' && <p class="quiet">{w.equal}</p>}
      {week && sentence !== '' && (
        <>
          <p>{sentence}</p>
          <WeekBars before={schedule.week} after={week} constraints={schedule.constraints} />
          {schedule.isWritable && <Write place={place} write={write} />}
        </>
      )}
      {wasSent && <Outcome topic={topic} name={scheduleName(schedule, device)} />}
    </div>
  );
};

type WriteProps = { readonly place: Place; readonly write: (keys: Readonly<Record<string, string>>) => void };

/** The button that writes a week, which asks for how long. */
const Write = ({ place: { schedule, device }, write: send }: WriteProps) => {
  const w = words.value;
  const [isAsking, setAsking] = useState(false);
  const [until, setUntil] = useState('');
  const write = (keys: Readonly<Record<string, string>>): void => {
    setAsking(false);
    send(keys);
  };
  if (!isAsking)
    return (
      <div class="buttons">
        <Button text={w.restore} onClick={() => setAsking(true)} />
      </div>
    );
  return (
    <>
      <EndChoice
        what={w.restoreWhat}
        zone={device.zone}
        nextAt={schedule.nextAt}
        onChoose={(end) => write(endKeys(end))}
        onCancel={() => setAsking(false)}
      />
      <div class="buttons">
        <label>
          {w.end} <input type="datetime-local" value={until} onInput={({ currentTarget }) => setUntil(currentTarget.value)} />
        </label>
        <Button text={w.untilThen} disabled={until === ''} onClick={() => write({ until: until.replace('T', ' ') })} />
      </div>
    </>
  );
};
