import { useState } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { differenceSentence } from '../../language/versions/differenceWords.ts';
import { fitWeek } from '../../schedule/versions/fitWeek.ts';
import { weekDifference } from '../../schedule/versions/weekDifference.ts';
import type { Week } from '../../schedule/week.ts';
import type { WrittenWeek } from '../../schedule/writtenWeek.ts';
import type { Schedule } from '../model/schedules.ts';
import { draw } from '../schedules/weekEditor.tsx';
import { Select } from '../shell/form.tsx';
import { mode } from '../shell/format.ts';
import { rule } from '../shell/words.ts';
import { language } from '../state/preferences.ts';
import { WeekBars } from './weekBars.tsx';
import { words } from './words.ts';

/** The difference between two weeks, as a sentence. */
export const differenceOf = (before: Week, after: Week): string => differenceSentence(weekDifference(before, after), language.value);

const MOST_ISSUES = 5;

/** A week that can replace the drawn one: its changes, or the nearest valid week if the device rejects it. */
export const Offer = ({ schedule, written }: { readonly schedule: Schedule; readonly written: WrittenWeek }) => {
  const w = words.value;
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const { week, issues, unknownModes } = fitWeek(written, schedule.week, schedule.constraints, chosen);
  const sentence = week && differenceOf(schedule.week, week);
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
          <Select
            value={chosen.get(unknown) ?? '?'}
            options={[...(schedule.constraints.modes ?? []).map((one) => [one, mode(one)] as const), ['', w.leaveOut]]}
            onPick={(one) => setChosen(new Map(chosen).set(unknown, one))}
          >
            <option value="?" disabled>
              {w.choose}
            </option>
          </Select>
        </label>
      ))}
      {week && issues.length > 0 && <p>{w.nearest}</p>}
      {sentence === '' && <p class="quiet">{w.equal}</p>}
      {week && sentence !== '' && (
        <>
          <p>{sentence}</p>
          <WeekBars before={schedule.week} after={week} constraints={schedule.constraints} />
          {schedule.isWritable && <Button text={w.draw} class="start" onClick={() => draw(() => week, w.drawn)} />}
        </>
      )}
    </div>
  );
};
