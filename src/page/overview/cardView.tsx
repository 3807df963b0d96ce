import { mdiFan, mdiGaugeLow, mdiHomeOutline, mdiMinus, mdiPlus, mdiRadiator, mdiSofaOutline, mdiWaterThermometerOutline } from '@mdi/js';
import { useSignal } from '@preact/signals';
import type { Card, CardKind } from '../model/cards.ts';
import type { ChoiceControl, NumberControl } from '../model/controls.ts';
import type { Device } from '../model/device.ts';
import { type End, endKeys } from '../model/moments.ts';
import { stepped } from '../model/steps.ts';
import { Icon } from '../shell/icon.tsx';
import { linkTo } from '../shell/route.ts';
import { degrees, mode, moment, quantity, words } from '../shell/say.ts';
import { payloadOf, send, shownOf } from '../state/writes.ts';
import { EndChoice } from './endChoice.tsx';
import { cardName, readingName } from './names.ts';
import { Outcome } from './outcome.tsx';
import { Programs } from './programs.tsx';
import { Temporaries } from './temporaries.tsx';

const ICONS: Readonly<Record<CardKind, string>> = {
  circuit: mdiRadiator,
  room: mdiSofaOutline,
  water: mdiWaterThermometerOutline,
  ventilation: mdiFan,
  home: mdiHomeOutline,
  other: mdiGaugeLow,
};

/** A change that waits for the answer how long it shall last. */
export type Staged = { readonly topic: string; readonly value: number | string | boolean; readonly what: string };

/** One circuit, room, the hot water, the ventilation or the whole house. */
export const CardView = ({ card, device }: { readonly card: Card; readonly device: Device }) => {
  const staged = useSignal<Staged | undefined>(undefined);
  const name = cardName(card);
  const id = `card ${card.id}`.replace(/[^\w-]/gu, '-');
  const choose = (end: End): void => {
    const change = staged.value;
    staged.value = undefined;
    if (change) void send(`${change.topic}/set`, payloadOf(change.value, endKeys(end)), change.value);
  };
  const stage = (change: Staged): void => {
    staged.value = change;
  };
  const cancel = (): void => {
    staged.value = undefined;
  };
  const { target, mode: choice, current, humidity, action, readings } = card;
  const w = words.value;
  return (
    <section class={`card ${card.kind}`} aria-labelledby={id} data-action={action}>
      <header>
        <Icon path={ICONS[card.kind]} class="badge" />
        <h2 id={id} dir="auto">
          {name}
        </h2>
        {action !== undefined && <span class="action">{actionWord(action)}</span>}
      </header>
      {!device.isOnline && <p class="quiet">{w.deviceOffline}</p>}
      {(target || current !== undefined) && (
        <div class="values">
          {current !== undefined && (
            <p class="value">
              <span class="label">{w.now}</span>
              <span class="number">{degrees(current)}</span>
              {humidity !== undefined && <span class="label">{`${w.humidity} ${quantity(humidity, 'percent')}`}</span>}
            </p>
          )}
          {target && <Target control={target} name={name} staged={staged.value} onChange={stage} onCancel={cancel} />}
        </div>
      )}
      <Sentence card={card} />
      {choice && choice.choices.length > 0 && (
        <Mode control={choice} name={name} staged={staged.value} onChange={stage} onCancel={cancel} />
      )}
      {staged.value && (
        <EndChoice
          what={staged.value.what}
          zone={device.zone}
          onChoose={choose}
          onCancel={cancel}
          keepsFocus={staged.value.topic === target?.topic || staged.value.topic === choice?.topic}
        />
      )}
      {target && <Outcome topic={`${target.topic}/set`} name={name} />}
      {choice && <Outcome topic={`${choice.topic}/set`} name={name} />}
      <Temporaries temporaries={card.temporaries} name={name} />
      <Programs card={card} name={name} onChange={stage} />
      {readings.length > 0 && (
        <dl class="readings">
          {readings.map((reading) => (
            <div key={`${reading.feature} ${reading.property}`}>
              <dt dir="auto">{readingName(reading)}</dt>
              <dd>{quantity(reading.value, reading.unit)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
};

const actionWord = (action: string): string => {
  const { actions } = words.value;
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : mode(action);
};

type ControlProps<T> = {
  readonly control: T;
  readonly name: string;
  readonly staged: Staged | undefined;
  readonly onChange: (change: Staged) => void;
  readonly onCancel: () => void;
};

const Target = ({ control, name, staged, onChange, onCancel }: ControlProps<NumberControl>) => {
  const w = words.value;
  const sent = shownOf<number | undefined>(`${control.topic}/set`, control.value);
  const isStaged = staged?.topic === control.topic;
  const shown = isStaged ? Number(staged.value) : sent;
  const change = (steps: number): void => {
    const value = stepped(control, shown, steps);
    if (value === sent) onCancel();
    else onChange({ topic: control.topic, value, what: sent === undefined ? degrees(value) : w.change(degrees(sent), degrees(value)) });
  };
  return (
    <fieldset class={`value target ${isStaged ? 'staged' : ''}`}>
      <legend class="label">
        {w.target}
        <span class="unseen">{`, ${name}`}</span>
      </legend>
      <button
        type="button"
        class="round"
        aria-label={w.colder}
        disabled={shown !== undefined && shown <= control.min}
        onClick={() => change(-1)}
      >
        <Icon path={mdiMinus} />
      </button>
      <output class="number" aria-live="polite">
        {shown === undefined ? '–' : degrees(shown)}
      </output>
      <button
        type="button"
        class="round"
        aria-label={w.warmer}
        disabled={shown !== undefined && shown >= control.max}
        onClick={() => change(1)}
      >
        <Icon path={mdiPlus} />
      </button>
    </fieldset>
  );
};

const Mode = ({ control, name, staged, onChange, onCancel }: ControlProps<ChoiceControl>) => {
  const w = words.value;
  const sent = shownOf<string | undefined>(`${control.topic}/set`, control.value);
  const shown = staged?.topic === control.topic ? String(staged.value) : (sent ?? '');
  return (
    <label class="field row">
      <span>
        {w.mode}
        <span class="unseen">{`, ${name}`}</span>
      </span>
      <select
        value={shown}
        onChange={({ currentTarget: { value } }) => {
          if (value === sent) onCancel();
          else onChange({ topic: control.topic, value, what: sent === undefined ? mode(value) : w.change(mode(sent), mode(value)) });
        }}
      >
        {sent === undefined && <option value="">–</option>}
        {control.choices.map((choice) => (
          <option key={choice} value={choice}>
            {mode(choice)}
          </option>
        ))}
      </select>
    </label>
  );
};

/** "Normal until 17:00, then comfort", with the way to the week. */
const Sentence = ({ card: { schedule, program, kind } }: { readonly card: Card }) => {
  const w = words.value;
  if (!schedule) return program === undefined || kind === 'ventilation' ? null : <p class="sentence">{mode(program)}</p>;
  const { now, next, nextAt } = schedule;
  const said = (): string => {
    if (!schedule.isActive) return program === undefined ? w.scheduleOff : `${mode(program)}. ${w.scheduleOff}.`;
    if (next === undefined || nextAt === undefined) return now === undefined ? '' : w.always(mode(now));
    return now === undefined ? w.fromThen(moment(nextAt), mode(next)) : w.until(mode(now), moment(nextAt), mode(next));
  };
  return (
    <p class="sentence">
      <span>{said()}</span> <a href={linkTo('schedules', schedule.device, schedule.feature)}>{w.editSchedule}</a>
    </p>
  );
};
