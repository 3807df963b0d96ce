import { useMemo } from 'preact/hooks';
import { DAY_MINUTES, printTime } from '../../../schedule/time.ts';
import { nextTime } from '../../model/grid.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';

type Props = {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The latest time of the next day that can be chosen. */
  readonly nextDay?: number;
  readonly onPick: (minutes: number) => void;
  readonly describedBy?: string | undefined;
};

const timesBetween = (from: number, to: number, step: number): readonly number[] => {
  const times: number[] = [];
  for (let time = Math.ceil(from / step) * step; time <= Math.min(to, DAY_MINUTES - 1); time += step) times.push(time);
  return to >= DAY_MINUTES ? [...times, DAY_MINUTES] : times;
};

/** Times as a list, with buttons for one step back or forward. Native time inputs lack 24:00. */
export const TimeField = ({ id, label, value, min, max, step, nextDay = 0, onPick, describedBy }: Props) => {
  const words = useStore().words.value;
  const isOff = value % step !== 0 && value < DAY_MINUTES;
  // Hundreds of options, kept while the entry is dragged.
  const options = useMemo(() => {
    const times = timesBetween(min, max, step);
    const known = isOff ? [...times, value].sort((a, b) => a - b) : times;
    return known.map((time) => (
      <option key={time} value={String(time)}>
        {printTime(time)}
      </option>
    ));
  }, [min, max, step, isOff ? value : 0]);
  return (
    <div class="field time">
      <label for={id}>{label}</label>
      <div class="stepper">
        <Button
          text="−"
          aria-label={words.earlier(label)}
          aria-disabled={value <= min}
          onClick={() => onPick(Math.max(min, nextTime(value, -1, step)))}
        />
        <select
          id={id}
          value={String(value)}
          aria-describedby={describedBy}
          onChange={({ currentTarget }) => onPick(Number(currentTarget.value))}
        >
          {options}
          {nextDay > 0 && (
            <optgroup label={words.nextDay}>
              {timesBetween(step, nextDay, step).map((time) => (
                <option key={time} value={String(time + DAY_MINUTES)}>
                  {printTime(time)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        <Button
          text="+"
          aria-label={words.later(label)}
          aria-disabled={value >= max}
          onClick={() => onPick(Math.min(max, nextTime(value, 1, step)))}
        />
      </div>
    </div>
  );
};
