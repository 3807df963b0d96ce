import { overrideOf, programInForce } from '../../features/composites/program.ts';
import type { Feature } from '../../features/feature.ts';
import { featureTopic, propertyTopic } from '../../topics/topicNames.ts';
import {
  type ChoiceControl,
  choicesAt,
  type NumberControl,
  type PeriodControl,
  periodOf,
  type SwitchControl,
  switchOf,
  type Temporary,
  temperatureRange,
  temporariesOf,
} from './controls.ts';
import { type Device, numberAt, type Topics, textAt } from './device.ts';
import { type Reading, readingsOf } from './readings.ts';
import { type Schedule, scheduleIn } from './schedules.ts';

export type CardKind = 'circuit' | 'room' | 'water' | 'ventilation' | 'home' | 'other';

/** The overview data of a circuit, a room, the hot water, the ventilation or the whole device. */
export type Card = {
  /** Stable across updates: device and scope. */
  readonly id: string;
  readonly kind: CardKind;
  readonly device: string;
  readonly scope: string;
  /** The owner's name. */
  readonly name?: string | undefined;
  /** Counted from 1. */
  readonly number?: number | undefined;
  readonly current?: number | undefined;
  /** The topic of its measured temperature, for a chart. */
  readonly currentAt?: string | undefined;
  readonly humidity?: number | undefined;
  /** The current action: `heating`, `levelTwo`. */
  readonly action?: string | undefined;
  /** The active program, if no schedule provides it. */
  readonly program?: string | undefined;
  readonly target?: NumberControl | undefined;
  readonly mode?: ChoiceControl | undefined;
  readonly schedule?: Schedule | undefined;
  readonly switches: readonly SwitchControl[];
  readonly periods: readonly PeriodControl[];
  readonly temporaries: readonly Temporary[];
  readonly readings: readonly Reading[];
};

const SCOPE =
  /^(?<known>heating\.circuits\.\d+|rooms\.\d+|heating\.dhw|ventilation)\.|^(?<other>.+?)\.(?:operating\.(?:modes|programs)|quickmodes)\./u;

/** Below a scope: programs, quick modes, and features directly in it (`oneTimeCharge`). */
const PROGRAM = /^(?:operating\.programs|quickmodes)\.|^[^.]+$/u;

const kindOf = (scope: string): CardKind => {
  if (/^heating\.circuits\.\d+$/u.test(scope)) return 'circuit';
  if (/^rooms\.\d+$/u.test(scope)) return 'room';
  if (scope === 'heating.dhw') return 'water';
  if (scope === 'heating') return 'home';
  return scope === 'ventilation' ? 'ventilation' : 'other';
};

/** A device with one of its cards. */
type DeviceCard = { readonly device: Device; readonly card: Card };

const ORDER: readonly CardKind[] = ['circuit', 'room', 'water', 'ventilation', 'other', 'home'];

/** All cards of a device, derived from its records, so that unknown devices also get cards. */
export const cardsOf = (topics: Topics, base: string, device: Device, temporaries = temporariesOf(topics, base)): readonly Card[] => {
  const shown = { topics, base, temporaries };
  const scopes = new Map<string, Feature[]>();
  for (const feature of device.features.values()) {
    const { known, other } = SCOPE.exec(feature.name)?.groups ?? {};
    const scope = known ?? other;
    if (scope !== undefined) scopes.set(scope, [...(scopes.get(scope) ?? []), feature]);
  }
  const cards = [...scopes].map(([scope, features]) => cardOf(shown, device, scope, features)).filter(hasContent);
  return cards.length > 0 ? cards : valuesOnly(device);
};

/** The cards of all devices: circuits, rooms, hot water, ventilation, others, then the whole house. */
export const allCards = (topics: Topics, base: string, devices: readonly Device[]): readonly DeviceCard[] => {
  const temporaries = temporariesOf(topics, base);
  return devices
    .flatMap((device) => cardsOf(topics, base, device, temporaries).map((card) => ({ device, card })))
    .toSorted(({ card: a }, { card: b }) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.number ?? 0) - (b.number ?? 0));
};

/** A device without controls shows its measured values. */
const valuesOnly = (device: Device): readonly Card[] => {
  const readings = readingsOf(device.features);
  if (readings.length === 0) return [];
  const none = { switches: [], periods: [], temporaries: [] };
  return [{ id: device.name, kind: 'other', device: device.name, scope: '', readings, ...none }];
};

const hasContent = ({ target, mode, schedule, switches, periods }: Card): boolean =>
  target !== undefined || (mode?.choices.length ?? 0) > 0 || schedule !== undefined || switches.length + periods.length > 0;

type Shown = { readonly topics: Topics; readonly base: string; readonly temporaries: readonly Temporary[] };

const cardOf = ({ topics, base, temporaries }: Shown, device: Device, scope: string, features: readonly Feature[]): Card => {
  const kind = kindOf(scope);
  const number = /\.(\d+)$/u.exec(scope)?.[1];
  const composite = compositeValues(topics, base, device, scope);
  const name = textAt(device, `${scope}.name`, 'name') ?? textAt(device, scope, 'name');
  const isProgram = (feature: string): boolean => PROGRAM.test(feature.slice(scope.length + 1));
  const startable = features.filter((feature) => isProgram(feature.name));
  return {
    id: `${device.name} ${scope}`,
    kind,
    device: device.name,
    scope,
    name,
    number: number === undefined ? undefined : Number(number) + 1,
    current: numberIn(composite.current) ?? numberAt(device, `${scope}.sensors.temperature`) ?? currentOf(device, kind),
    currentAt: currentTopic(composite, base, device, scope),
    humidity: numberAt(device, `${scope}.sensors.humidity`) ?? numberAt(device, `${scope}.sensors.humidity.supply`),
    action: composite.action ?? (kind === 'ventilation' ? textAt(device, `${scope}.operating.state`, 'level') : undefined),
    program: textAt(device, `${scope}.operating.programs.active`),
    target: targetOf(composite, base, device, scope),
    mode: modeOf(base, device, scope),
    schedule: scheduleIn(topics, base, device, kind === 'circuit' ? `${scope}.heating.schedule` : `${scope}.schedule`),
    switches: startable.flatMap((feature) => switchOf(base, device, feature) ?? []).toSorted(byUse),
    periods: startable.flatMap((feature) => periodOf(base, device, feature) ?? []),
    temporaries: temporaries.filter(
      (one) => one.device === device.name && one.feature.startsWith(`${scope}.`) && (kind !== 'home' || isProgram(one.feature)),
    ),
    readings: kind === 'home' ? readingsOf(device.features) : [],
  };
};

/** Active switches come first. */
const byUse = (a: SwitchControl, b: SwitchControl): number => Number(b.isActive) - Number(a.isActive);

const currentOf = (device: Device, kind: CardKind): number | undefined =>
  kind === 'water' ? numberAt(device, 'heating.dhw.sensors.temperature.dhwCylinder') : undefined;

/** The temperature topic of a room or hot water; supply temperature for a circuit without room sensor. */
const currentTopic = ({ topic, current }: Parts, base: string, device: Device, scope: string): string | undefined => {
  const sensors = ['temperature', 'temperature.dhwCylinder', 'temperature.supply'].map((sensor) => `${scope}.sensors.${sensor}`);
  const own = sensors.find((feature) => numberAt(device, feature) !== undefined);
  if (numberIn(current) !== undefined) return `${topic}current`;
  return own === undefined ? undefined : propertyTopic(base, device.name, own, 'value');
};

const numberIn = (text: string | undefined): number | undefined => {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
};

type Parts = { readonly topic: string; readonly target?: string; readonly current?: string; readonly action?: string };

/** The values of the climate or water heater entity of this scope. */
const compositeValues = (topics: Topics, base: string, device: Device, scope: string): Parts => {
  const topic = featureTopic(base, device.name, `${scope}.${scope === 'heating.dhw' ? 'water_heater' : 'climate'}`, '');
  const parts = ['target', 'current', 'action'].flatMap((part) => {
    const value = topics.get(topic + part);
    return value === undefined ? [] : [[part, value]];
  });
  return { topic, ...Object.fromEntries(parts) };
};

const targetOf = ({ topic, target }: Parts, base: string, device: Device, scope: string): NumberControl | undefined => {
  if (scope === 'heating.dhw') {
    const feature = 'heating.dhw.temperature.main';
    const range = temperatureRange(device.features.get(feature));
    return range && { topic: featureTopic(base, device.name, feature, 'value'), ...range, value: numberAt(device, feature) };
  }
  const inForce = programInForce(device.features, scope, {});
  const override = overrideOf(device.features, scope);
  const range = temperatureRange(override) ?? temperatureRange(inForce?.feature);
  if (!range) return undefined;
  const shown = numberIn(target);
  const ending = override && { endsBy: /TillNextSchedule$/u.test(override.name) ? ('schedule' as const) : ('time' as const) };
  const program = ending || !inForce?.feature ? {} : { program: inForce.word };
  if (shown !== undefined) return { topic: `${topic}target`, ...range, value: shown, ...ending, ...program };
  const { feature, temperature: value } = inForce ?? {};
  if (feature && value !== undefined)
    return { topic: featureTopic(base, device.name, feature.name, 'temperature'), ...range, value, ...program };
  const [parameter] = [...(override?.commands.get('activate')?.params.keys() ?? [])].filter((name) => /temperature$/iu.test(name));
  if (!override || parameter === undefined) return undefined;
  const call = { topic: featureTopic(base, device.name, override.name, 'call/activate'), parameter };
  return { topic: `${topic}target`, ...range, ...ending, call };
};

const modeOf = (base: string, device: Device, scope: string): ChoiceControl | undefined => {
  const name = `${scope}.operating.modes.active`;
  const feature = device.features.get(name);
  const value = textAt(device, name);
  if (!feature) return undefined;
  const choices = choicesAt(feature);
  const all = value === undefined || choices.includes(value) || choices.length === 0 ? choices : [value, ...choices];
  return { topic: featureTopic(base, device.name, name, 'value'), choices: all, value };
};
