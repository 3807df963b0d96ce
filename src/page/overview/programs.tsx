import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { localNow } from '../../schedule/shown/localNow.ts';
import type { Card } from '../model/cards.ts';
import { isPeriod, type PeriodControl, type SwitchControl } from '../model/controls.ts';
import { Form, setTo } from '../shell/form.tsx';
import { dayText, mode } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { now } from '../state/time.ts';
import { send, shownOf, writes } from '../state/writes.ts';
import type { Staged } from './controls.tsx';
import { Outcome } from './outcome.tsx';

type Props = {
  readonly card: Card;
  readonly name: string;
  /** The device's zone: its current day can differ from the browser's. */
  readonly zone: string | undefined;
  readonly onChange: (change: Staged) => void;
};

/** Programs to start and end: hot water once, party, eco, holiday. */
export const Programs = ({ card: { switches, periods, kind }, name, zone, onChange }: Props) => {
  // Hides programs started by the schedule: they cannot be started or ended. Pending writes stay visible.
  const usable = switches.filter(({ canStart, canStop, topic }) => canStart || canStop || writes.value.has(`${topic}/set`));
  return usable.length + periods.length === 0 ? null : (
    <div class="programs">
      {usable.map((control) => (
        <Switch key={control.topic} control={control} name={name} {...(kind === 'water' ? {} : { onChange })} />
      ))}
      {periods.map((control) => (
        <Period key={control.topic} control={control} name={name} zone={zone} />
      ))}
    </div>
  );
};

type SwitchProps = {
  readonly control: SwitchControl;
  readonly name: string;
  /** Asks for the duration; if absent, the device decides when it ends. */
  readonly onChange?: (change: Staged) => void;
};

const Switch = ({ control: { topic, word, isActive, canStop, isProgram }, name, onChange }: SwitchProps) => {
  const w = words.value;
  const isOn = shownOf(`${topic}/set`, isActive);
  const label = mode(word);
  const [startWord, stopWord] = isProgram ? [w.startNow, w.stop] : [w.turnOn, w.turnOff];
  const start = (): void => {
    if (onChange && isProgram) onChange({ topic, value: true, what: label, endsBy: 'hand' });
    else void send(`${topic}/set`, true);
  };
  return (
    <div class={`program ${isOn ? 'on' : ''}`}>
      <span dir="auto">
        {label}
        {isOn && <span class="pill">{isProgram ? w.running : w.isOn}</span>}
      </span>
      {isOn ? (
        canStop && <Button text={stopWord} aria-label={`${stopWord}: ${label}, ${name}`} onClick={() => void send(`${topic}/set`, false)} />
      ) : (
        <Button text={startWord} aria-label={`${startWord}: ${label}, ${name}`} onClick={start} />
      )}
      <Outcome topic={`${topic}/set`} name={label} />
    </div>
  );
};

type PeriodProps = Pick<Props, 'name' | 'zone'> & { readonly control: PeriodControl };

const Period = ({ control, name, zone }: PeriodProps) => {
  const { topic, word, isActive, start, end, canStop, isOneDayAllowed } = control;
  const errorId = useId();
  const isOpen = useSignal(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    isOpen.value = false;
    opener.current?.focus();
  };
  const error = useSignal('');
  const w = words.value;
  const label = mode(word);
  const isPlanned = start !== undefined && end !== undefined;
  const endWord = isActive ? w.end : w.unplan;
  const today = localNow(now.value, zone).date;
  const plan = `${topic}/call/schedule`;
  const cancel = `${topic}/call/unschedule`;
  const submit = (form: HTMLFormElement): void => {
    const data = new FormData(form);
    const [from, to] = [String(data.get('start')), String(data.get('end'))];
    error.value = isPeriod(control, from, to) ? '' : isOneDayAllowed ? w.endBeforeStart : w.endNotAfterStart;
    if (error.value !== '') return;
    close();
    void send(plan, { start: from, end: to });
  };
  return (
    <div class={`program ${isActive ? 'on' : ''}`}>
      <span>
        {isPlanned ? w.planned(label, w.period(dayText(start), dayText(end))) : label}
        {isActive && <span class="pill">{w.running}</span>}
      </span>
      {(isPlanned || isActive) && canStop ? (
        <Button text={endWord} aria-label={`${endWord}: ${label}, ${name}`} onClick={() => void send(cancel, {})} />
      ) : (
        <Button
          ref={opener}
          text={w.plan}
          aria-label={`${w.plan}: ${label}, ${name}`}
          aria-expanded={isOpen.value}
          onClick={setTo(isOpen, !isOpen.value)}
        />
      )}
      {isOpen.value && (
        <Form class="period" onSend={submit}>
          <label class="field">
            <span>{w.firstDay}</span>
            <input type="date" name="start" required min={today} defaultValue={today} />
          </label>
          <label class="field">
            <span>{w.lastDay}</span>
            <input type="date" name="end" required min={today} aria-describedby={errorId} />
          </label>
          <p id={errorId} class="problem" role="alert">
            {error.value}
          </p>
          <div class="buttons">
            <Button text={w.save} type="submit" class="primary" />
            <Button text={w.cancel} class="plain" onClick={close} />
          </div>
        </Form>
      )}
      <Outcome topic={plan} name={label} />
      <Outcome topic={cancel} name={label} />
    </div>
  );
};
