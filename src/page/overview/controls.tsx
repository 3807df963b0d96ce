import { mdiMinus, mdiPlus } from '@mdi/js';
import { type ChoiceControl, type NumberControl, stepped } from '../model/controls.ts';
import { Select } from '../shell/form.tsx';
import { degrees, mode } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { words } from '../shell/words.ts';
import { shownOf } from '../state/writes.ts';

/** A change that awaits the choice of its duration. */
export type Staged = {
  readonly topic: string;
  readonly value: number | string | boolean;
  readonly what: string;
  readonly endsBy?: 'schedule' | 'time' | 'hand';
  readonly call?: NumberControl['call'];
};

type ControlProps<T> = {
  readonly control: T;
  readonly name: string;
  readonly staged: Staged | undefined;
  readonly onChange: (change: Staged) => void;
  readonly onCancel: () => void;
  /** The word for a mode. */
  readonly say?: (word: string) => string;
};

/** A target value with − and + buttons. */
export const Target = ({ control, name, staged, onChange, onCancel }: ControlProps<NumberControl>) => {
  const w = words.value;
  const sent = shownOf<number | undefined>(`${control.topic}/set`, control.value);
  const isStaged = staged?.topic === control.topic;
  const shown = isStaged ? Number(staged.value) : sent;
  const change = (steps: number): void => {
    const value = stepped(control, shown, steps);
    const what = sent === undefined ? degrees(value) : w.change(degrees(sent), degrees(value));
    if (value === sent) onCancel();
    else
      onChange({
        topic: control.topic,
        value,
        what: control.program === undefined ? what : `${mode(control.program)}: ${what}`,
        ...(control.endsBy ? { endsBy: control.endsBy } : {}),
        ...(control.call ? { call: control.call } : {}),
      });
  };
  const button = (steps: number, label: string, icon: string, isOff: boolean) => (
    <button type="button" class="round" aria-label={label} disabled={isOff} onClick={() => change(steps)}>
      <Icon path={icon} />
    </button>
  );
  return (
    <fieldset aria-label={w.targetOf(name)} class={`value target ${isStaged ? 'staged' : ''}`}>
      <legend class="label">{w.target}</legend>
      {button(-1, w.colder, mdiMinus, shown !== undefined && shown <= control.min)}
      <output class="number" aria-live="polite">
        {shown === undefined ? '–' : degrees(shown)}
      </output>
      {button(1, w.warmer, mdiPlus, shown !== undefined && shown >= control.max)}
    </fieldset>
  );
};

/** A selection of the device's modes. */
export const Mode = ({ control, name, staged, onChange, onCancel, say = mode }: ControlProps<ChoiceControl>) => {
  const w = words.value;
  const sent = shownOf<string | undefined>(`${control.topic}/set`, control.value);
  const shown = staged?.topic === control.topic ? String(staged.value) : (sent ?? '');
  const options = control.choices.map((choice) => [choice, say(choice)] as const);
  const pick = (value: string): void => {
    if (value === sent) onCancel();
    else onChange({ topic: control.topic, value, what: sent === undefined ? say(value) : w.change(say(sent), say(value)) });
  };
  return (
    <label class="field">
      <span>{w.mode}</span>
      <Select aria-label={w.modeOf(name)} value={shown} options={options} onPick={pick}>
        {sent === undefined && <option value="">–</option>}
      </Select>
    </label>
  );
};
