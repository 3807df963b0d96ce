import { quotedText } from '../../shared/json.ts';
import { bridgeTopic, deviceTopic } from '../../topics/topicNames.ts';
import { numbers, payloadOfValue, type Value } from './values.ts';

const byteEscapes = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Quotes a text for a POSIX shell. Control characters except line feeds would act as keys when pasted (Ctrl+C
 * ends the line, the rest becomes a command): they are byte escapes for bash and zsh.
 */
export const shellWord = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  if (/[^\P{Cc}\n]/u.test(text)) return `$'${text.replace(/['\\]/gu, String.raw`\$&`).replace(/\p{Cc}/gu, byteEscapes)}'`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
};

/** The broker from the bridge's settings, with commas between several addresses; empty if unknown. */
export type Broker = { readonly url: string; readonly username: string };

/** The first address; undefined if invalid. Browsers from before 2024 lack `URL.parse`. */
const firstIn = (url: string): URL | undefined => {
  try {
    return new URL(url.replace(/,.*/, ''));
  } catch {
    return undefined;
  }
};

/** The broker as arguments of mosquitto's commands, without the password, which the page does not know. */
const brokerArguments = ({ url, username }: Broker): readonly string[] => {
  const found = firstIn(url);
  const user = username === '' ? [] : ['-u', shellWord(username), '-P', '"$MQTT_PASSWORD"'];
  return [...(found?.hostname ? ['-h', shellWord(found.hostname)] : []), ...(found?.port ? ['-p', found.port] : []), ...user];
};

/** A shell line that writes the current value; for read-only values, one that shows each change. */
export const mosquittoLine = ({ topic, value, control }: Value, settings: Broker): string => {
  const broker = brokerArguments(settings);
  if (!control) return ['mosquitto_sub', ...broker, '-v', '-t', shellWord(topic)].join(' ');
  // An empty payload would have no effect.
  const example = payloadOfValue(value) || (control.kind === 'choice' ? control.choices[0] : control.kind === 'switch' ? 'true' : '20');
  return ['mosquitto_pub', ...broker, '-t', shellWord(`${topic}/set`), '-m', shellWord(example ?? '')].join(' ');
};

/** Units as Home Assistant spells them, with their device class. */
const UNITS: Readonly<Record<string, readonly [symbol: string, deviceClass?: string]>> = {
  celsius: ['°C', 'temperature'],
  kelvin: ['K'],
  percent: ['%'],
  bar: ['bar', 'pressure'],
  watt: ['W', 'power'],
  kilowatt: ['kW', 'power'],
  kilowattHour: ['kWh', 'energy'],
  wattHour: ['Wh', 'energy'],
  'liter/hour': ['L/h', 'volume_flow_rate'],
  cubicMeter: ['m³'],
  hour: ['h', 'duration'],
  hours: ['h', 'duration'],
  minutes: ['min', 'duration'],
  seconds: ['s', 'duration'],
};

type Entry = string | number | readonly string[];

const unitOf = ({ unit, type }: Value): Readonly<Record<string, Entry>> => {
  if (type !== 'number' || unit === '') return {};
  const [symbol, deviceClass] = (Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined) ?? [unit];
  return { unit_of_measurement: symbol, ...(deviceClass === undefined ? {} : { device_class: deviceClass }) };
};

/** The matching Home Assistant platform, with its configuration. */
const entityOf = (value: Value): readonly [platform: string, config: Readonly<Record<string, Entry>>] => {
  const { topic, type, control } = value;
  const set = { command_topic: `${topic}/set` };
  const onOff = { payload_on: 'true', payload_off: 'false' };
  // A Home Assistant state has at most 255 characters.
  const cut = { value_template: '{{ value[:255] }}' };
  switch (control?.kind) {
    case 'number': {
      const { min, max, step } = control;
      return ['number', { ...set, ...unitOf(value), ...numbers({ min, max, step }), mode: 'box' }];
    }
    case 'choice':
      return ['select', { ...set, options: control.choices }];
    case 'switch':
      return control.values.length === 2 ? ['switch', { ...set, ...onOff }] : ['binary_sensor', onOff];
    case 'text':
      return ['text', { ...set, max: Math.min(control.maxLength ?? 255, 255), ...cut }];
    default:
      if (type === 'boolean') return ['binary_sensor', onOff];
      // An amount resets each day or year, so it is no plain measurement.
      if (type !== 'number') return ['sensor', cut];
      return ['sensor', { ...unitOf(value), ...(value.unit === '' || /hour$/iu.test(value.unit) ? {} : { state_class: 'measurement' }) }];
  }
};

const scalar = (value: string | number): string => (typeof value === 'string' ? quotedText(value) : String(value));

const line = ([key, value]: readonly [string, Entry]): readonly string[] =>
  typeof value === 'object' ? [`      ${key}:`, ...value.map((one) => `        - ${scalar(one)}`)] : [`      ${key}: ${scalar(value)}`];

/** An entity for Home Assistant's `configuration.yaml`; undefined if the value has no own topic. */
export const homeAssistantYaml = (value: Value, base: string): string | undefined => {
  if (!value.isAlone) return undefined;
  const { device, feature, property, topic } = value;
  const [platform, config] = entityOf(value);
  const name = `${device} ${feature}${property === 'value' ? '' : ` ${property}`}`;
  const entries: readonly (readonly [string, Entry])[] = [
    ['name', name],
    ['unique_id', `heating2mqtt_page_${device}_${feature}_${property}`],
    ['state_topic', topic],
    ...Object.entries(config),
    ['availability_mode', 'all'],
  ];
  const sources = [bridgeTopic(base, 'state'), deviceTopic(base, device, 'availability')];
  return [
    'mqtt:',
    `  - ${platform}:`,
    ...entries.flatMap(line),
    '      availability:',
    ...sources.map((source) => `        - topic: ${scalar(source)}`),
    '',
  ].join('\n');
};
