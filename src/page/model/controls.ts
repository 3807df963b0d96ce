import type { Feature, Parameter } from '../../features/feature.ts';
import { featureTopic, readLeafTopic } from '../../topics/topicNames.ts';
import type { Device, Topics } from './device.ts';

/** A settable number with the device's limits. */
export type NumberControl = {
  /** The state topic; the command topic is `<topic>/set`. */
  readonly topic: string;
  readonly value?: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The program that uses this temperature. */
  readonly program?: string;
  /** A manual change ends by itself: at the next schedule entry, or after a time set by the device. */
  readonly endsBy?: 'schedule' | 'time';
  /** If the device shows no target now: the command that sets one, and its parameter. */
  readonly call?: { readonly topic: string; readonly parameter: string };
};

/** A choice among the words that the device allows. */
export type ChoiceControl = { readonly topic: string; readonly value: string | undefined; readonly choices: readonly string[] };

/** A switch for a program, a quick mode, or one-time hot water. */
export type SwitchControl = {
  readonly topic: string;
  /** The last level of the feature name: `oneTimeCharge`. */
  readonly word: string;
  readonly isActive: boolean;
  /** False if the device does not accept the command now. */
  readonly canStart: boolean;
  readonly canStop: boolean;
  /** False for settings that stay until changed, such as a child lock. */
  readonly isProgram: boolean;
};

/** A period with a first and a last day, such as a holiday. */
export type PeriodControl = {
  /** The topic of the feature. */
  readonly topic: string;
  readonly word: string;
  readonly isActive: boolean;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly canStop: boolean;
  /** False if the period cannot end on its first day. */
  readonly isOneDayAllowed: boolean;
};

/** A write that ends by itself. */
export type Temporary = {
  /** The topic of the feature; `<topic>/until/set` changes the end. */
  readonly topic: string;
  readonly device: string;
  readonly feature: string;
  /** RFC 3339. */
  readonly until: string;
};

type Range = Pick<NumberControl, 'min' | 'max' | 'step'>;

const rangeOf = ({ type, constraints: { min, max, stepping } }: Parameter): Range | undefined =>
  type === 'number' && typeof min === 'number' && typeof max === 'number' && min < max
    ? { min, max, step: typeof stepping === 'number' && stepping > 0 ? stepping : 1 }
    : undefined;

/** The allowed temperatures of a feature: from its command `set…`, else from the one that starts it. */
export const temperatureRange = (feature: Feature | undefined): Range | undefined => {
  const commands = [...(feature?.commands.values() ?? [])].filter(({ isExecutable }) => isExecutable);
  const isSetter = ({ name }: { readonly name: string }): boolean => name.startsWith('set');
  for (const { params } of [...commands.filter(isSetter), ...commands.filter((command) => !isSetter(command))])
    for (const [name, parameter] of params) {
      const range = /temperature$/iu.test(name) ? rangeOf(parameter) : undefined;
      if (range) return range;
    }
  return undefined;
};

/** The allowed words of the feature's command with a single text parameter. */
export const choicesAt = (feature: Feature | undefined): readonly string[] => {
  for (const { params, isExecutable } of feature?.commands.values() ?? []) {
    const [first, ...others] = [...params.values()];
    const words = first?.constraints['enum'];
    if (isExecutable && others.length === 0 && Array.isArray(words)) return words.filter((word: unknown) => typeof word === 'string');
  }
  return [];
};

const lastLevel = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** The feature as a switch; undefined without start and stop, or if starting needs parameters. */
export const switchOf = (base: string, device: Device, feature: Feature): SwitchControl | undefined => {
  const { activate, deactivate } = Object.fromEntries(feature.commands);
  const active = feature.properties.get('active');
  if (!activate || !deactivate || active?.type !== 'boolean') return undefined;
  const isActive = active.value === true;
  // Another control starts it, such as a target. It can be ended here.
  const needsValues = [...activate.params.values()].some(({ required }) => required);
  if (needsValues && !isActive) return undefined;
  return {
    topic: featureTopic(base, device.name, feature.name, 'active'),
    word: lastLevel(feature.name),
    isActive,
    canStart: activate.isExecutable && !isActive && !needsValues,
    canStop: deactivate.isExecutable && isActive,
    isProgram: /(?:\.programs|\.quickmodes)\.[^.]+$|oneTime/u.test(feature.name),
  };
};

// Devices show this date, or an invalid one, for "no date".
const NO_DATE = '2000-01-01';

const dateAt = (feature: Feature, property: string): string | undefined => {
  const value = feature.properties.get(property)?.value;
  const [date] = (typeof value === 'string' && /^\d{4}-\d\d-\d\d/u.exec(value)) || [NO_DATE];
  return date === NO_DATE || Number.isNaN(Date.parse(`${date}T00:00:00Z`)) ? undefined : date;
};

/** The feature as a period; undefined without a command that takes a first and a last day. */
export const periodOf = (base: string, device: Device, feature: Feature): PeriodControl | undefined => {
  const { schedule, unschedule } = Object.fromEntries(feature.commands);
  if (!schedule?.isExecutable || !schedule.params.has('start') || !schedule.params.has('end') || schedule.params.size > 2) return undefined;
  return {
    topic: featureTopic(base, device.name, feature.name, '').slice(0, -1),
    word: lastLevel(feature.name),
    isActive: feature.properties.get('active')?.value === true,
    start: dateAt(feature, 'start'),
    end: dateAt(feature, 'end'),
    canStop: unschedule?.isExecutable === true,
    isOneDayAllowed: schedule.params.get('end')?.constraints.sameDayAllowed !== false,
  };
};

/** True if the device accepts this last day with this first day. */
export const isPeriod = ({ isOneDayAllowed }: Pick<PeriodControl, 'isOneDayAllowed'>, first: string, last: string): boolean =>
  isOneDayAllowed ? last >= first : last > first;

/** All temporary writes of all devices. */
export const temporariesOf = (topics: Topics, base: string): readonly Temporary[] =>
  [...topics].flatMap(([topic, until]) => {
    const place = topic.endsWith('/until') ? readLeafTopic(base, topic, 'until') : undefined;
    return place ? [{ topic: topic.slice(0, -'/until'.length), device: place.device, feature: place.feature, until }] : [];
  });

/** °C of a room. */
const USUAL = 20;

/** Moves the value by `steps` within limits. Off the grid, the first step goes to the next grid value. */
export const stepped = (control: NumberControl, value: number | undefined, steps: number): number => {
  const { min, max, step } = control;
  // Without a value, start at a usual room temperature.
  if (value === undefined) return stepped(control, Math.min(Math.max(USUAL, min), max), 0);
  const from = value;
  const place = (from - min) / step;
  const near = Math.round(place);
  const isOnGrid = Math.abs(place - near) < 1e-6;
  const next = isOnGrid ? near + steps : steps === 0 ? near : steps > 0 ? Math.ceil(place) + steps - 1 : Math.floor(place) + steps + 1;
  const most = Math.floor((max - min) / step + 1e-6);
  // Removes floating-point rounding errors.
  return Number((min + Math.min(Math.max(next, 0), most) * step).toFixed(6));
};
