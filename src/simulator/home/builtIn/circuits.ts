import {
  celsius,
  flag,
  list,
  modes,
  NO_SENSOR,
  number,
  ofLength,
  optional,
  range,
  SIMPLE_SCHEDULE,
  schedule,
  sensor,
  setTemperature,
  shows,
  status,
  text,
} from './describe.ts';

const setName = { params: { name: ofLength(1, 20) } };

const circuit = (name: string) => ({ active: flag(true), name: text(name), type: text('heatingCircuit') });

const program = (temperature: number) => ({
  properties: { active: flag(false), demand: text('unknown'), temperature: celsius(temperature) },
  commands: { setTemperature: setTemperature(3, 37) },
});

const comfort = (temperature: number) => ({
  properties: { active: flag(false), demand: text('unknown'), temperature: celsius(temperature) },
  commands: {
    activate: { when: { active: false }, params: { temperature: optional(range(4, 37)) } },
    deactivate: { when: { active: true } },
    setTemperature: setTemperature(4, 37),
  },
});

const curve = (shift: number, slope: number) => ({
  properties: { shift: number(shift), slope: number(slope) },
  commands: { setCurve: { params: { shift: range(-13, 40), slope: range(0.2, 3.5, 0.1) } } },
});

const [LEAST, MOST] = [range(1, 30), range(10, 70)];
const levels = (min: number, max: number) => ({
  properties: { min: celsius(min), max: celsius(max) },
  commands: {
    setMin: { params: { temperature: LEAST } },
    setMax: { params: { temperature: MOST } },
    setLevels: { params: { minTemperature: LEAST, maxTemperature: MOST } },
  },
});

/** The features of two circuits, and a leftover curve of a third one. */
export const circuits = {
  'heating.circuits': { properties: { enabled: list(['0', '1']) } },
  'heating.circuits.0': {
    properties: circuit('Floor'),
    commands: { setName: { ...setName, writes: { name: ['name', 'heating.circuits.0.name/name'] } } },
  },
  'heating.circuits.1': { properties: circuit('Radiators'), commands: { setName } },
  'heating.circuits.0.name': {
    properties: { name: text('Floor') },
    commands: { setName: { ...setName, writes: { name: ['name', 'heating.circuits.0/name'] } } },
  },
  'heating.circuits.1.name': { properties: { name: text('Upstairs') }, commands: { setName } },
  'heating.circuits.0.operating.modes.active': modes('heating', 'heating', 'standby'),
  'heating.circuits.1.operating.modes.active': modes('standby', 'dhw', 'dhwAndHeating', 'standby'),
  'heating.circuits.0.operating.programs.active': shows(text('normal')),
  'heating.circuits.1.operating.programs.active': shows(text('standby')),
  'heating.circuits.0.operating.programs.normal': program(21),
  'heating.circuits.1.operating.programs.normal': program(20),
  'heating.circuits.0.operating.programs.reduced': program(18),
  'heating.circuits.1.operating.programs.reduced': program(16),
  'heating.circuits.0.operating.programs.comfort': comfort(22),
  'heating.circuits.1.operating.programs.comfort': comfort(21.5),
  'heating.circuits.0.operating.programs.eco': {
    properties: { active: flag(false), temperature: celsius(20) },
    commands: { activate: { when: { active: false }, params: {} }, deactivate: { when: { active: true } } },
  },
  'heating.circuits.0.heating.schedule': schedule(
    true,
    [
      ['05:30 08:30 normal', '16:00 22:00 normal'],
      ['07:00 17:00 normal', '17:00 21:00 comfort', '21:00 23:00 normal'],
    ],
    SIMPLE_SCHEDULE,
  ),
  'heating.circuits.1.heating.schedule': schedule(false, [['00:00 06:00 reduced', '06:00 22:00 normal', '22:00 24:00 reduced']], {
    maxEntries: 8,
    modes: ['reduced', 'normal', 'fixed'],
    defaultMode: 'standby',
    overlapAllowed: true,
    canReset: false,
  }),
  'heating.circuits.0.heating.curve': curve(0, 0.6),
  'heating.circuits.1.heating.curve': curve(2, 1.4),
  'heating.circuits.2.heating.curve': curve(0, 1.4),
  'heating.circuits.0.temperature.levels': levels(20, 45),
  'heating.circuits.1.temperature.levels': levels(20, 60),
  'heating.circuits.0.sensors.temperature.supply': sensor(celsius(31.4)),
  'heating.circuits.1.sensors.temperature.supply': sensor(celsius(24.9)),
  'heating.circuits.0.sensors.temperature.room': sensor(celsius(21.3)),
  'heating.circuits.1.sensors.temperature.room': NO_SENSOR,
  'heating.circuits.0.circulation.pump': status('on'),
  'heating.circuits.1.circulation.pump': status('off'),
};

const LEAVES = [
  '',
  '.name',
  '.operating.modes.active',
  '.operating.programs.active',
  '.operating.programs.normal',
  '.operating.programs.reduced',
  '.operating.programs.comfort',
  '.operating.programs.eco',
  '.operating.programs.fixed',
  '.heating.schedule',
  '.temperature',
  '.temperature.levels',
  '.sensors.temperature.supply',
  '.sensors.temperature.room',
  '.circulation.pump',
  '.frostprotection',
  '.zone.mode',
];

/** Missing features: those of a third and fourth circuit, and those that no circuit has. */
export const MISSING_CIRCUITS = [
  ...[2, 3].flatMap((circuit) => LEAVES.map((leaf) => `heating.circuits.${circuit}${leaf}`)),
  'heating.circuits.3.heating.curve',
  ...[0, 1, 2, 3].map((circuit) => `heating.circuits.${circuit}.operating.modes.cooling`),
];
