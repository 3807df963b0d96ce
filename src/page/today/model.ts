import { circuitAction, isSource } from '../../features/composites/action.ts';
import { amountsOf } from '../../features/energy/periods.ts';
import type { Feature } from '../../features/feature.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { jsonObject } from '../../shared/json.ts';
import { deviceTopic, propertyTopic } from '../../topics/topicNames.ts';
import { type DeviceFaults, faultsOf, staleOf } from '../faults/model.ts';
import { type Card, cardsOf } from '../model/cards.ts';
import { type Device, numberAt, type Topics, textAt, valueAt } from '../model/device.ts';
import { isHeating } from '../model/health.ts';

/** A temperature in °C, and its topic for a chart. */
export type Figure = { readonly value: number; readonly topic: string };

/** The current activity of a heating. `running`: it produces heat for an unknown purpose. */
type Doing = 'heating' | 'cooling' | 'water' | 'defrost' | 'running' | 'holiday' | 'standby' | 'off';

/** Groups devices by the heating of their gateway, else of the installation, else by its first device. */
const groupsOf = (topics: Topics, base: string, devices: readonly Device[]): ReadonlyMap<Device, readonly Device[]> => {
  const place = ({ name }: Device, part: string): unknown => jsonObject(topics.get(deviceTopic(base, name, 'info')) ?? '')?.[part] ?? name;
  return Map.groupBy(devices, (device) => {
    const near = devices.filter((one) => place(one, 'installation') === place(device, 'installation'));
    const heatings = near.filter(isHeating);
    if (heatings.includes(device)) return device;
    return heatings.find((one) => place(one, 'gateway') === place(device, 'gateway')) ?? heatings[0] ?? near[0] ?? device;
  });
};

/**
 * The values of today per heating and its installation; unknown ones are undefined. Empty for devices without any.
 * `now`: the bridge's time (epoch ms).
 */
export const todaysOf = (topics: Topics, base: string, devices: readonly Device[], now: number) =>
  [...groupsOf(topics, base, devices)].flatMap(([device, group]) => {
    const cards = group.flatMap((one) => cardsOf(topics, base, one, []));
    const [outside] = group.flatMap((one) => outsideOf(base, one));
    const water = group.flatMap((one) => waterOf(base, one))[0];
    const charging = valueAt(device, 'heating.dhw.charging', 'active');
    // Stale amounts are not from today, and a frozen device says nothing about its current state.
    const stands = staleOf(topics, base, [device]).map(({ rule }) => rule);
    const isNow = device.isOnline && !stands.includes('pulse');
    const doing = isNow ? doingOf(device, cards) : undefined;
    // From rooms, and from circuits with a room sensor.
    const inside = cards.flatMap((card) => {
      const { kind, current, currentAt: topic } = card;
      return (kind === 'room' || kind === 'circuit') && current !== undefined && topic !== undefined
        ? [{ card, value: current, topic }]
        : [];
    });
    if (!outside && inside.length === 0 && !water && doing === undefined) return [];
    const told = faultsOf(topics, base, group);
    const codes = told.flatMap(({ active }) => active.flatMap(({ kind, code }) => (kind === 'service' ? [] : [code])));
    const isHeatKnown = water && isNow && (doing === 'water' || typeof charging === 'boolean');
    // Only the heating itself can report that it has none.
    const own = told.find((one) => one.device === device.name);
    return {
      ...{ device, outside, inside, water, doing },
      isWaterHeated: isHeatKnown ? doing === 'water' || charging === true : undefined,
      used: isNow && stands.every((rule) => rule === 'tellers') ? usedOf(device, now) : [],
      faults: codes.length > 0 ? codes : own && noFaults(own, isNow),
    };
  });

export type Today = ReturnType<typeof todaysOf>[number];

/**
 * What an empty list of faults means. `untold`: nothing, as the heating never reported any; `unread`: it reports
 * none, but the events cannot be read. Undefined where that is not known now.
 */
const noFaults = ({ tells, readAt }: DeviceFaults, isNow: boolean): readonly string[] | 'untold' | 'unread' | undefined => {
  if (!tells) return 'untold';
  if (!isNow) return undefined;
  return readAt === undefined ? [] : 'unread';
};

const figureAt = (base: string, device: Device, feature: string): readonly Figure[] => {
  const value = numberAt(device, feature);
  return value === undefined ? [] : [{ value, topic: propertyTopic(base, device.name, feature, 'value') }];
};

const OUTSIDE = /\.sensors\.temperature\.outside$/u;
const outsideOf = (base: string, device: Device): readonly Figure[] =>
  [...device.features.keys()].filter((name) => OUTSIDE.test(name)).flatMap((name) => figureAt(base, device, name));

const waterOf = (base: string, device: Device): readonly Figure[] =>
  ['hotWaterStorage', 'dhwCylinder', 'dhwCylinder.top'].flatMap((sensor) =>
    figureAt(base, device, `heating.dhw.sensors.temperature.${sensor}`),
  );

const PUMP = /^heating\.circuits\.\d+\.circulation\.pump$/u;
const HOLIDAY = /^heating\..*\.programs\.holiday/u;

/** The activity, else the active program; undefined if the records have neither. */
const doingOf = (device: Device, cards: readonly Card[]): Doing | undefined => {
  const { features } = device;
  const isActive = (name: string): boolean => valueAt(device, name, 'active') === true;
  const names = [...features.keys()];
  const actionsOf = (wanted: Card['kind']): readonly string[] =>
    cards.flatMap(({ kind, action }) => (kind === wanted ? (action ?? []) : []));
  const circuits = actionsOf('circuit');
  const actions = [...circuits, ...actionsOf('room')];
  const source = circuitAction(features, '', undefined);
  if (
    isActive('heating.outdoor.defrosting') ||
    names.some((name) => isSource(name) && /defrost/u.test(textAt(device, name, 'phase') ?? ''))
  )
    return 'defrost';
  if (isActive('heating.dhw.charging') || (isActive('heating.dhw.oneTimeCharge') && source === 'heating')) return 'water';
  if (source === 'cooling' || actions.includes('cooling')) return 'cooling';
  // If hot water charging is unknown, the heat may be for hot water: a running circuit pump decides.
  const isTold =
    typeof valueAt(device, 'heating.dhw.charging', 'active') === 'boolean' || !names.some((name) => name.startsWith('heating.dhw.'));
  const pumps = names.filter((name) => PUMP.test(name)).map((name) => textAt(device, name, 'status'));
  const getsHeat = circuits.length === 0 || circuits.includes('heating');
  if (source === 'heating') return getsHeat && (isTold || pumps.includes('on')) ? 'heating' : 'running';
  // Rooms request heat; only the heating knows whether it produces any.
  if (actions.includes('heating') && source === undefined) return 'heating';
  if (names.some((name) => HOLIDAY.test(name) && isActive(name))) return 'holiday';
  const modes = cards.flatMap(({ kind, mode, action }) => (kind === 'circuit' ? [action === 'off' ? action : mode?.value] : []));
  if (modes.length > 0 && modes.every((mode) => mode === 'off' || mode === 'standby')) return 'off';
  return source === undefined && circuits.length === 0 ? undefined : 'standby';
};

/** Consumption since the home's midnight in the platform's unit, if the heating reports it for today. */
const usedOf = ({ features, zone }: Device, now: number) => {
  const amountsOfSource = (source: 'power' | 'gas' | 'heatingRod.power'): readonly Amount[] => {
    const of = (...uses: readonly string[]): readonly Amount[] =>
      uses.flatMap((use) => {
        const start = `heating.${source}.consumption`;
        // A list has a read time; its summary does not.
        const feature = features.get(`${start}.${use}`) ?? features.get(`${start}.summary.${use}`);
        return (feature && todayOf(feature, zone, now)) ?? [];
      });
    const total = of('total').filter(({ isFresh }) => isFresh);
    if (total.length > 0) return total;
    const others = of('heating', 'dhw', 'cooling', 'fuelCell');
    // An idle use stays at 0 and is not read again.
    return others.some(({ isFresh }) => isFresh) && others.every(({ isFresh, value }) => isFresh || value === 0) ? others : [];
  };
  // The power consumption excludes the heating rod.
  const power = amountsOfSource('power');
  const sums = { power: power.length > 0 ? [...power, ...amountsOfSource('heatingRod.power')] : [], gas: amountsOfSource('gas') };
  return (['power', 'gas'] as const).flatMap((kind) => {
    const [first, ...rest] = sums[kind];
    if (!first || rest.some(({ unit }) => unit !== first.unit)) return [];
    return [{ kind, unit: first.unit, value: rest.reduce((sum, { value }) => sum + value, first.value) }];
  });
};

/** `isFresh`: read today, or without a read time. */
type Amount = { readonly value: number; readonly unit: string; readonly isFresh: boolean };

/** The feature's amount of the current day. */
const todayOf = (feature: Feature, zone: string | undefined, now: number): Amount | undefined => {
  const { unit = '', long, short } = amountsOf(feature) ?? {};
  const value = [short, long].find((one) => one?.period === 'day')?.amounts[0];
  if (value === undefined) return undefined;
  const readMs = Date.parse(String(feature.properties.get('dayValueReadAt')?.value));
  const isFresh = !Number.isFinite(readMs) || localNow(readMs, zone).date === localNow(now, zone).date;
  return unit === 'wattHour' ? { unit: 'kilowattHour', value: value / 1000, isFresh } : { unit, value, isFresh };
};
