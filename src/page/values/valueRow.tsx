import { nameOf } from '../../language/names/name.ts';
import { homeAssistantYaml, mosquittoLine } from '../model/snippets.ts';
import { payloadOfValue, type Value } from '../model/values.ts';
import { deviceTitle } from '../overview/names.ts';
import { Outcome } from '../overview/outcome.tsx';
import { RefusedHere } from '../overview/refusedHere.tsx';
import { CopyField } from '../setup/copyField.tsx';
import { settingText } from '../setup/setupState.ts';
import { breakable } from '../shell/breakable.tsx';
import { quantity, short } from '../shell/format.ts';
import { linkTo } from '../shell/route.ts';
import { language } from '../state/preferences.ts';
import { base } from '../state/store.ts';
import { now } from '../state/time.ts';
import { Control } from './control.tsx';
import { words } from './words.ts';

const MINUTE_MS = 60_000;

/** The time since the value changed, in words. */
const ageOf = (at: number | undefined): string => {
  const w = words.value;
  if (at === undefined) return w.unchanged;
  const minutes = Math.floor((now.value - at) / MINUTE_MS);
  if (minutes < 1) return w.justNow;
  if (minutes < 120) return w.age.minutes(minutes);
  return minutes < 48 * 60 ? w.age.hours(Math.floor(minutes / 60)) : w.age.days(Math.floor(minutes / 1440));
};

const shownValue = ({ value, unit }: Value): string => {
  const w = words.value;
  if (value === undefined || value === null || value === '') return w.noValue;
  if (typeof value === 'boolean') return value ? w.on : w.off;
  if (typeof value === 'object') return Array.isArray(value) ? w.entries(value.length) : w.fields(Object.keys(value).length);
  return typeof value === 'number' ? quantity(value, unit) : short(payloadOfValue(value));
};

type RowProps = {
  readonly value: Value;
  /** Undefined if it has not changed since the bridge started. */
  readonly changedAt: number | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
};

/** A value in one line; when open, its actions are below. */
export const ValueRow = ({ value, changedAt, isOpen, onToggle }: RowProps) => {
  const w = words.value;
  const { device, feature, property, control } = value;
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary class="value-line">
          <span class="value-name" dir="auto">
            <span class="quiet">{deviceTitle(device)}</span> {nameOf(feature, property, language.value)}
            {control && <span class="pill">{w.writable}</span>}
            <small class="quiet block">{breakable(`${feature}.${property}`)}</small>
          </span>
          <span class="value-shown" dir="auto">
            {shownValue(value)}
          </span>
          <span class="quiet value-age">{ageOf(changedAt)}</span>
        </summary>
        <div class="value-more stack">{isOpen && <Details value={value} />}</div>
      </details>
    </li>
  );
};

const LONG = 60;

const Details = ({ value }: { readonly value: Value }) => {
  const w = words.value;
  const { topic, control, feature, device, type } = value;
  const payload = payloadOfValue(value.value);
  const yaml = homeAssistantYaml(value, base.value);
  return (
    <>
      {control && <RefusedHere device={device} scope={feature} />}
      {control && <Control value={value} control={control} />}
      {control && <Outcome topic={`${topic}/set`} name={feature} />}
      {type === 'Schedule' && <a href={linkTo('schedules', device, feature)}>{w.openWeek}</a>}
      {payload.length > LONG && <CopyField label={w.whole} value={payload} lines={3} />}
      <CopyField label={w.topic} value={topic} />
      <CopyField
        label={control ? w.publish : w.subscribe}
        value={mosquittoLine(value, { url: settingText('mqtt.url'), username: settingText('mqtt.username') })}
      />
      {yaml !== undefined && <CopyField label={w.yaml} value={yaml} lines={8} />}
      {yaml !== undefined && <p class="quiet">{w.discovered}</p>}
    </>
  );
};
