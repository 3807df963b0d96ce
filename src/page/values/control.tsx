import { useSignal } from '@preact/signals';
import type { TargetedInputEvent } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { EMPTY_FIELD, fieldTopicOf } from '../../topics/topicNames.ts';
import { payloadOfValue, type Value, type ValueControl } from '../model/values.ts';
import { Form, into, Select } from '../shell/form.tsx';
import { mode, number, unitText } from '../shell/format.ts';
import { topics } from '../state/store.ts';
import { send, shownOf, writes } from '../state/writes.ts';
import { words } from './words.ts';

type Props = { readonly value: Value; readonly control: ValueControl };

/** The input of a value: two buttons for a switch, else a field and a button. */
export const Control = ({ value, control }: Props) =>
  control.kind === 'switch' ? <Switch value={value} control={control} /> : <Entry value={value} control={control} />;

type SwitchProps = { readonly value: Value; readonly control: ValueControl & { kind: 'switch' } };

const Switch = ({ value: { topic, value, property }, control }: SwitchProps) => {
  const w = words.value;
  const shown = shownOf<unknown>(`${topic}/set`, value);
  return (
    <fieldset class="value-switch">
      <legend>{`${w.change}: ${property}`}</legend>
      {control.values.map((one) => (
        <Button text={one ? w.on : w.off} key={String(one)} aria-pressed={shown === one} onClick={() => void send(`${topic}/set`, one)} />
      ))}
    </fieldset>
  );
};

const Entry = ({ value: { topic, value, property, unit }, control }: Props) => {
  const id = useId();
  const w = words.value;
  const entered = useSignal<string | undefined>(undefined);
  // A written value that waits for other values.
  const waiting = topics.value.get(fieldTopicOf(topic));
  const shown = entered.value ?? payloadOfValue(shownOf(`${topic}/set`, waiting === EMPTY_FIELD ? '' : (waiting ?? value)));
  const write = writes.value.get(`${topic}/set`);
  useEffect(() => {
    // A refused input stays, so that the user can correct it.
    if (write?.phase === 'done') entered.value = undefined;
  }, [write]);
  const submit = (): void => {
    entered.value = shown;
    void send(`${topic}/set`, control.kind === 'number' ? Number(shown) : shown);
  };
  const common = { id, value: shown, required: control.kind !== 'text', 'aria-describedby': `${id}-range` };
  const typing = { onInput: (event: TargetedInputEvent<HTMLInputElement>) => into(entered)(event.currentTarget.value) };
  return (
    <Form class="field" onSend={submit}>
      <label for={id}>{`${w.change}: ${property}`}</label>
      <div class="copy">
        {control.kind === 'choice' ? (
          <Select {...common} options={control.choices.map(optionOf)} onPick={into(entered)}>
            {!control.choices.includes(shown) && <option value="">{w.choose}</option>}
          </Select>
        ) : control.kind === 'number' ? (
          <input {...common} {...typing} type="number" min={control.min} max={control.max} step={control.step ?? 'any'} />
        ) : (
          <input {...common} {...typing} type="text" autocomplete="off" {...longest(control)} />
        )}
        <button type="submit">{w.set}</button>
      </div>
      <p class="quiet" id={`${id}-range`}>
        {rangeOf(control, unit)}
      </p>
    </Form>
  );
};

const optionOf = (choice: string) => [choice, mode(choice) === choice ? choice : `${mode(choice)} (${choice})`] as const;

const longest = (control: ValueControl): { readonly maxLength?: number } =>
  control.kind === 'text' && control.maxLength !== undefined ? { maxLength: control.maxLength } : {};

const rangeOf = (control: ValueControl, unit: string): string => {
  if (control.kind !== 'number' || control.min === undefined || control.max === undefined) return '';
  const { min, max, step } = control;
  return `${words.value.range(number(min, 3), number(max, 3), step === undefined ? '' : number(step, 3))} ${unitText(unit)}`.trim();
};
