import {
  mdiCalendarWeek,
  mdiChartLine,
  mdiFan,
  mdiGaugeLow,
  mdiHomeOutline,
  mdiRadiator,
  mdiSofaOutline,
  mdiWaterThermometerOutline,
} from '@mdi/js';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { propertyTopic } from '../../topics/topicNames.ts';
import type { Card, CardKind } from '../model/cards.ts';
import type { Device } from '../model/device.ts';
import { type End, endKeys } from '../model/moments.ts';
import type { Reading } from '../model/readings.ts';
import { sentenceOf } from '../schedules/sentence.ts';
import { Facts } from '../shell/facts.tsx';
import { degrees, mode, quantity } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { linkTo } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { base } from '../state/store.ts';
import { send } from '../state/writes.ts';
import { todayWords } from '../today/words.ts';
import { Mode, type Staged, Target } from './controls.tsx';
import { EndChoice } from './endChoice.tsx';
import { cardName, deviceTitle, readingName } from './names.ts';
import { Outcome } from './outcome.tsx';
import { Programs } from './programs.tsx';
import { RefusedDevice, RefusedHere } from './refusedHere.tsx';
import { Temporaries } from './temporaries.tsx';

const ICONS: Readonly<Record<CardKind, string>> = {
  circuit: mdiRadiator,
  room: mdiSofaOutline,
  water: mdiWaterThermometerOutline,
  ventilation: mdiFan,
  home: mdiHomeOutline,
  other: mdiGaugeLow,
};

type CardProps = {
  readonly card: Card;
  readonly device: Device;
  /** True if another card has the same name: the device name is then shown too. */
  readonly isNamed: boolean;
};

/** A card for a circuit, a room, the hot water, the ventilation or the whole house. */
export const CardView = ({ card, device, isNamed }: CardProps) => {
  const staged = useSignal<Staged | undefined>(undefined);
  const name = isNamed ? `${cardName(card)} · ${deviceTitle(card.device)}` : cardName(card);
  const id = `card ${card.id}`.replace(/[^\w-]/gu, '-');
  /** The element that had the focus before the question; it gets the focus back after the answer. */
  const opener = useRef<Element | null>(null);
  const stage = (change: Staged): void => {
    if (!staged.value) opener.current = document.activeElement;
    staged.value = change;
  };
  const cancel = (): void => {
    staged.value = undefined;
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  const choose = (end: End): void => {
    const change = staged.value;
    cancel();
    if (!change) return;
    const { topic, value, call } = change;
    if (call) void send(call.topic, { [call.parameter]: value }, endKeys(end), value);
    else void send(`${topic}/set`, value, endKeys(end));
  };
  const { target, mode: choice, current, humidity, action, readings } = card;
  const w = words.value;
  return (
    <section class={`card stack ${card.kind}`} aria-labelledby={id} data-action={action}>
      <header>
        <Icon path={ICONS[card.kind]} class="badge" />
        <h2 id={id} dir="auto">
          {name}
        </h2>
        {card.currentAt !== undefined && (
          <a class="chart-link" href={linkTo('chart', card.currentAt)} aria-label={`${w.chart}, ${name}`} title={w.chart}>
            <Icon path={mdiChartLine} />
          </a>
        )}
        {action !== undefined && <span class="action">{actionWord(action)}</span>}
      </header>
      {!device.isOnline && <p class="quiet">{w.deviceOffline}</p>}
      <RefusedDevice device={card.device} />
      <RefusedHere device={card.device} scope={card.kind === 'home' ? `${card.scope}.operating` : card.scope} />
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
      <Sentence card={card} name={name} />
      {choice && choice.choices.length > 0 && (
        <Mode
          control={choice}
          name={name}
          staged={staged.value}
          onChange={stage}
          onCancel={cancel}
          {...(card.kind === 'ventilation' ? { say: airMode } : {})}
        />
      )}
      {staged.value && (
        <EndChoice
          what={staged.value.what}
          zone={device.zone}
          endsBy={staged.value.endsBy}
          nextAt={card.schedule?.nextAt}
          isNextUsual={target?.program !== undefined && staged.value.topic === target.topic}
          onChoose={choose}
          onCancel={cancel}
          keepsFocus={staged.value.topic === target?.topic || staged.value.topic === choice?.topic}
        />
      )}
      {target && <Outcome topic={target.call?.topic ?? `${target.topic}/set`} name={name} />}
      {choice && <Outcome topic={`${choice.topic}/set`} name={name} />}
      <Temporaries temporaries={card.temporaries} name={name} />
      {card.kind === 'home' && readings.length > 0 ? (
        <details>
          <summary>{todayWords.value.technical}</summary>
          <Readings card={card} />
        </details>
      ) : (
        <Readings card={card} />
      )}
      <Programs card={card} name={name} zone={device.zone} onChange={stage} />
    </section>
  );
};

/** Measured values, each with a link to its chart. */
const Readings = ({ card: { device, readings } }: Pick<CardProps, 'card'>) => {
  const link = ({ feature, value, unit }: Reading) => (
    <a href={linkTo('chart', propertyTopic(base.value, device, feature, 'value'))}>
      {quantity(value, unit)}
      <span class="unseen">{`, ${words.value.chart}`}</span>
    </a>
  );
  return readings.length === 0 ? null : <Facts class="readings" rows={readings.map((one) => [readingName(one), link(one)])} />;
};

/** Ventilation needs no frost protection: standby is shown as off. */
const airMode = (word: string): string => mode(word === 'standby' ? 'off' : word);

const actionWord = (action: string): string => {
  const { actions } = words.value;
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : mode(action);
};

/** "Normal until 17:00, then comfort", with a link to the week. */
const Sentence = ({ card: { schedule, program, kind }, name }: { readonly card: Card; readonly name: string }) => {
  const w = words.value;
  if (!schedule) return program === undefined || kind === 'ventilation' ? null : <p class="sentence">{mode(program)}</p>;
  return (
    <p class="sentence">
      <span>{sentenceOf(schedule, program)}</span>
      <a class="button plain" href={linkTo('schedules', schedule.device, schedule.feature)} aria-label={`${w.editSchedule}, ${name}`}>
        <Icon path={mdiCalendarWeek} />
        {w.editSchedule}
      </a>
    </p>
  );
};
