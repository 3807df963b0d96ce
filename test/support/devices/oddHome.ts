import type { Home, HomeDevice, HomeFeature } from '../../../src/simulator/home/home.ts';
import type { JsonObject } from '../../../src/simulator/http/json.ts';

type Entry = readonly [start: string, end: string, mode: string];

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänskajütenheizungsregelungsbetriebsart';
const MARKUP = '<b onclick="alert(1)">warm</b>';
/** As long as a name gets, with markup and without a blank. */
export const LONG_NAME = `<img src=x onerror=alert(1)>${'Wohnzimmer'.repeat(18)}`.slice(0, 200);

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const schedule = (constraints: JsonObject, entries: readonly Entry[], isExecutable = true): HomeFeature => ({
  properties: {
    active: { type: 'boolean', value: true },
    entries: {
      type: 'Schedule',
      value: Object.fromEntries(DAYS.map((day) => [day, entries.map(([start, end, mode], position) => ({ start, end, mode, position }))])),
    },
  },
  commands: { setSchedule: { isExecutable, params: { newSchedule: { type: 'Schedule', required: true, constraints } } } },
});

const text = (property: string, value: string): HomeFeature => ({ properties: { [property]: { type: 'string', value } } });

const celsius = (value: number): HomeFeature => ({ properties: { value: { type: 'number', value, unit: 'celsius' } } });

const KNOWN = { modes: ['reduced', 'normal'], maxEntries: 4, resolution: 10, defaultMode: 'reduced', overlapAllowed: true };

const SCHEDULES: Readonly<Record<string, HomeFeature>> = {
  'heating.circuits.0.heating.schedule': schedule({ ...KNOWN, maxEntries: 2 }, [
    ['05:30', '08:30', 'normal'],
    ['16:00', '22:00', 'normal'],
  ]),
  'heating.circuits.1.heating.schedule': schedule({ ...KNOWN, resolution: 1, maxEntries: 12 }, [
    ['05:07', '05:08', 'normal'],
    ['23:59', '24:00', 'normal'],
  ]),
  'heating.circuits.2.heating.schedule': schedule({ ...KNOWN, resolution: 30, overlapAllowed: false }, [
    ['00:00', '12:00', 'normal'],
    ['12:00', '24:00', 'normal'],
  ]),
  'heating.circuits.3.heating.schedule': schedule({ ...KNOWN, modes: [LONG, MARKUP, '🔥🥵', 'Übergangszeit', ''], defaultMode: LONG }, [
    ['05:00', '06:00', LONG],
    ['06:00', '09:00', MARKUP],
    ['09:00', '12:00', '🔥🥵'],
    ['12:00', '24:00', 'Übergangszeit'],
  ]),
  'heating.circuits.4.heating.schedule': schedule({ modes: ['normal'] }, [['06:00', '22:00', 'normal']]),
  'heating.circuits.5.heating.schedule': schedule(KNOWN, [['06:00', '22:00', 'normal']], false),
  'heating.circuits.6.heating.schedule': schedule({}, []),
  'heating.circuits.7.heating.schedule': schedule({ ...KNOWN, maxEntries: 8, overlapAllowed: true }, [
    ['00:00', '24:00', 'normal'],
    ['01:00', '23:00', 'reduced'],
    ['02:00', '22:00', 'normal'],
    ['03:00', '21:00', 'reduced'],
    ['04:00', '20:00', 'normal'],
    ['05:00', '19:00', 'reduced'],
    ['06:00', '18:00', 'normal'],
    ['07:00', '17:00', 'reduced'],
  ]),
  'heating.dhw.schedule': schedule({ ...KNOWN, modes: ['on'], defaultMode: 'off' }, [['22:00', '24:00', 'on']]),
  'heating.dhw.pumps.circulation.schedule': schedule({ ...KNOWN, modes: ['5/25-cycles', '5/10-cycles', 'on'], defaultMode: 'off' }, []),
  'ventilation.schedule': schedule({ ...KNOWN, modes: ['levelOne', 'levelNine'], overlapAllowed: false }, [
    ['07:00', '09:00', 'levelNine'],
  ]),
  'somethingNew.ofNextYear.schedule': schedule(KNOWN, [['06:00', '22:00', 'normal']]),
};

const NAMES: Readonly<Record<number, string>> = { 0: LONG_NAME, 1: MARKUP, 3: '\u202eetieshcuF', 5: ' ' };

const circuits: Readonly<Record<string, HomeFeature>> = Object.fromEntries(
  Array.from({ length: 8 }, (_, number) => [
    [`heating.circuits.${number}.name`, text('name', NAMES[number] ?? `Kreis ${number}`)] as const,
    [`heating.circuits.${number}.operating.modes.active`, text('value', number === 3 ? LONG : 'heating')] as const,
    [`heating.circuits.${number}.operating.programs.active`, text('value', number === 3 ? MARKUP : 'normal')] as const,
    [`heating.circuits.${number}.sensors.temperature.room`, celsius(number === 1 ? -273.15 : 21.3)] as const,
  ]).flat(),
);

const house: HomeDevice = {
  model: 'Odd_House',
  type: 'heating',
  features: {
    'heating.circuits': { properties: { enabled: { type: 'array', value: ['0', '1', '2', '3', '4', '5', '6', '7'] } } },
    ...circuits,
    ...SCHEDULES,
  },
};

/** A device without any circuit, schedule or command. */
const meter: HomeDevice = {
  model: '<i>Meter</i>',
  type: 'unknown',
  features: {
    'meter.of.something': { properties: { value: { type: 'number', value: 1_234_567.891, unit: 'bananas/fortnight' } } },
    'heating.sensors.temperature.outside': celsius(-12.5),
  },
};

/** A house of devices that nobody has seen: strange constraints, modes, names and units, twelve schedules. */
export const oddHome: Home = {
  installation: 111222,
  gateway: '7571381699991111',
  user: { id: '11112222-3333-4444-5555-666677778888' },
  devices: { '0': house, '1': meter, '2': { features: { 'device.serial': text('value', '1') } } },
};

/** Every schedule in it. */
export const ODD_SCHEDULES: readonly string[] = Object.keys(SCHEDULES);
