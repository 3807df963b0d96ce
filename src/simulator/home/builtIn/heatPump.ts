import { circuits, MISSING_CIRCUITS } from './circuits.ts';
import {
  celsius,
  energyBars,
  energySummary,
  flag,
  list,
  matching,
  modes,
  NO_SENSOR,
  number,
  oneOf,
  optional,
  parameter,
  range,
  schedule,
  sensor,
  shows,
  status,
  text,
} from './describe.ts';

const STATUS_CODES = ['S.125', 'S.123', 'S.130', 'S.125', 'S.118', 'S.134', 'S.125', 'S.123', 'S.130'];
const AUDIENCES = ['SUPPORT', 'SERVICE', 'DEVELOPMENT', 'MANUFACTURING', 'BDFEXPERT', 'ENDUSER', 'INSTALLER', 'PARTNER'];
const NEWEST_STATUS = Date.UTC(2026, 10, 20, 21, 40);
const STATUS_EVERY_MS = 4_987_000;

const STATUS_MESSAGES = STATUS_CODES.map((errorCode, index) => ({
  timestamp: new Date(NEWEST_STATUS - index * STATUS_EVERY_MS).toISOString(),
  errorCode,
  priority: 'status',
  accessLevel: 'customer',
  audiences: AUDIENCES.map((word) => `IS-${word}`),
}));

const DATE = '^[\\d]{4}-[\\d]{2}-[\\d]{2}$';
/** A holiday that is not planned has `none` as its dates. */
const holiday = (
  none: string,
  sameDayAllowed: boolean,
  unschedule: { readonly sets?: { readonly start: string; readonly end: string } },
) => {
  const end = matching(DATE, { sameDayAllowed });
  return {
    properties: { active: flag(false), start: text(none), end: text(none) },
    commands: {
      schedule: { params: { start: matching(DATE), end } },
      changeEndDate: { when: { start: { not: none } }, params: { end } },
      unschedule,
    },
  };
};

const MONTH_DAY = matching('^[\\d]{2}-[\\d]{2}$');
const MINUTES = range(1, 1440);
const kelvin = (value: number) => number(value, 'kelvin');
const hours = (value: number) => number(value, 'hours');

/** A heat pump with two circuits, hot water and ventilation. */
export const heatPump = {
  model: 'Demo_HeatPump_8kW',
  type: 'heating',
  roles: ['type:heatpump', 'type:dhw;integrated', 'type:heating;integrated', 'type:ventilation;integrated'],
  features: {
    'device.serial': shows(text('7714300012345678')),
    'device.variant': shows(text('HeatPump 8 kW')),
    'device.productIdentification': {
      properties: {
        product: {
          type: 'object',
          value: {
            busType: 'CanExternal',
            busAddress: 1,
            productFamily: 'B_00042_HP800',
            viessmannIdentificationNumber: '7777777777777777',
          },
        },
      },
    },
    'device.messages.status.raw': { properties: { entries: list(STATUS_MESSAGES) } },
    'device.messages.errors.raw': { properties: { entries: list([]) } },
    'device.time.daylightSaving': {
      properties: { active: flag(true), begin: text('25-03'), end: text('25-10') },
      commands: { activate: { params: { begin: MONTH_DAY, end: MONTH_DAY } }, deactivate: {} },
    },
    'heating.boiler.serial': shows(text('7714300012345678')),
    ...circuits,
    'heating.dhw': { properties: { active: flag(true), status: text('on') } },
    'heating.dhw.operating.modes.active': modes('efficient', 'efficientWithMinComfort', 'efficient', 'off'),
    'heating.dhw.temperature.main': {
      properties: { value: celsius(50) },
      commands: {
        setTargetTemperature: {
          params: {
            temperature: parameter('number', { min: 10, max: 60, stepping: 1, efficientLowerBorder: 10, efficientUpperBorder: 60 }),
          },
        },
      },
    },
    'heating.dhw.temperature.hysteresis': {
      properties: { value: kelvin(5), switchOnValue: kelvin(5), switchOffValue: kelvin(2) },
      commands: {
        setHysteresis: { params: { hysteresis: range(1, 10, 0.5) } },
        setHysteresisSwitchOnValue: { params: { hysteresis: range(1, 10, 0.5) } },
        setHysteresisSwitchOffValue: { params: { hysteresis: range(0, 2.5, 0.5) } },
      },
    },
    'heating.dhw.oneTimeCharge': {
      properties: { active: flag(false) },
      commands: { activate: {}, deactivate: {}, setActive: { params: { active: parameter('boolean') } } },
    },
    'heating.dhw.hygiene': {
      properties: { enabled: flag(false) },
      commands: { enable: { when: { enabled: false } }, disable: { when: { enabled: true } }, activate: { when: { enabled: true } } },
    },
    'heating.dhw.schedule': schedule(
      true,
      [
        ['05:00 07:00 normal', '16:00 21:00 normal'],
        ['05:00 07:00 normal', '16:00 21:00 normal', '19:00 20:30 temp-2'],
        ['05:00 07:00 normal', '16:00 21:00 normal'],
      ],
      { maxEntries: 8, modes: ['top', 'normal', 'temp-2'], defaultMode: 'off', overlapAllowed: true, canReset: false },
    ),
    'heating.dhw.pumps.circulation': status('off'),
    'heating.dhw.pumps.circulation.schedule': schedule(
      true,
      [['06:00 08:00 5/10-cycles', '17:00 21:00 5/25-cycles'], ['08:00 22:00 5/25-cycles'], []],
      { maxEntries: 8, modes: ['5/25-cycles', '5/10-cycles', 'on'], defaultMode: 'off', overlapAllowed: true },
    ),
    'heating.dhw.sensors.temperature.dhwCylinder': sensor(celsius(48.6)),
    'heating.dhw.sensors.temperature.hotWaterStorage': {
      ...sensor(celsius(48.6)),
      more: { deprecated: { info: 'replaced by heating.dhw.sensors.temperature.dhwCylinder', removalDate: '2024-09-15' } },
    },
    'heating.dhw.sensors.temperature.outlet': NO_SENSOR,
    'heating.compressors': { properties: { enabled: list(['0']) } },
    'heating.compressors.0': {
      properties: { active: flag(false), phase: text('ready') },
      commands: {
        setActive: { isExecutable: false, params: { active: parameter('boolean') } },
        setPhase: { isExecutable: false, params: { value: oneOf('off', 'preparing', 'not-ready', 'ready') } },
      },
    },
    'heating.compressors.0.statistics': { properties: { hours: number(3187.4, 'hour'), starts: number(5210) } },
    'heating.compressors.0.speed.current': shows(number(0, 'revolutionsPerSecond')),
    'heating.sensors.temperature.outside': sensor(celsius(3.4)),
    'heating.sensors.temperature.return': sensor(celsius(28.1)),
    'heating.sensors.pressure.supply': sensor(number(1.7, 'bar')),
    'heating.sensors.volumetricFlow.allengra': sensor(number(885, 'liter/hour')),
    'heating.bufferCylinder.sensors.temperature.main': sensor(celsius(33.1)),
    'heating.power.consumption.total': energyBars(
      [5.8999999999999995, 8.4, 9.1, 7.7, 10.2, 8.8, 9.6, 8.1],
      [41.9, 62.3, 58.7, 55.1, 60.4, 49.8, 44.6, 47.2, 39.5],
      [149.60000000000002, 231.4, 160.2, 98.7, 61.3, 52.8, 57.1, 88.6, 176.9, 262.4, 391.5, 448.2, 402.7],
      [1977.5, 2364.9],
    ),
    'heating.power.consumption.dhw': energyBars(
      [1.2, 2.1, 1.9, 2.4, 2.2, 1.8, 2.5, 2],
      [9.7, 14.2, 13.9, 14.6, 13.1, 14.8, 12.7, 13.5, 14.1],
      [31.200000000000003, 48.8, 46.1, 44.9, 43.2, 42.7, 44.4, 46.8, 48.9, 47.7, 52.3, 54.1, 53.6],
      [497.2, 561.4],
    ),
    'heating.power.consumption.summary.dhw': energySummary(1.2, 14.4, 31.2, 48.8, 497.2, 561.4),
    'heating.power.consumption.summary.heating': energySummary(4.7, 45.6, 118.4, 182.6, 1480.3, 1803.5),
    'heating.heat.production.summary.dhw': energySummary(6.3, 48.6, 142.2, 213.6, 2361.6, 2590.2),
    'heating.heat.production.summary.heating': energySummary(19.1, 185.1, 481.9, 739.5, 5995.2, 7304.2),
    'heating.scop.total': shows(number(4.2)),
    'heating.operating.programs.holiday': holiday('', false, {}),
    'heating.operating.programs.holidayAtHome': holiday('2000-01-01', true, { sets: { start: '2000-01-01', end: '2000-01-01' } }),
    'ventilation.operating.modes.active': modes('ventilation', 'standby', 'standard', 'ventilation'),
    'ventilation.operating.programs.active': shows(text('levelTwo')),
    'ventilation.operating.state': { properties: { demand: text('ventilation'), level: text('levelTwo'), reason: text('schedule') } },
    'ventilation.quickmodes.forcedLevelFour': {
      properties: { active: flag(false), defaultRuntime: number(30, 'minutes'), isCommandExecutable: flag(true) },
      hidden: { timeout: 0 },
      commands: {
        activate: { when: { active: false }, params: { timeout: optional(MINUTES) } },
        deactivate: { when: { active: true } },
        setTimeout: { params: { timeout: MINUTES } },
        setDefaultRuntime: { params: { defaultRuntime: MINUTES } },
      },
    },
    'ventilation.schedule': schedule(true, [['00:00 08:00 levelTwo', '08:00 21:00 levelThree', '21:00 24:00 levelTwo 4']], {
      maxEntries: 8,
      modes: ['levelTwo', 'levelThree', 'levelFour'],
      defaultMode: 'levelOne',
      overlapAllowed: true,
    }),
    'ventilation.sensors.humidity.supply': sensor(number(46, 'percent')),
    'ventilation.filter.runtime': { properties: { operatingHours: hours(3120), remainingHours: hours(5640), overdueHours: hours(0) } },
  },
  folders: [
    'heating',
    'heating.sensors',
    'heating.sensors.temperature',
    'heating.operating',
    'heating.operating.programs',
    'heating.dhw.sensors',
    'heating.dhw.sensors.temperature',
    'heating.circuits.0.operating',
    'ventilation',
    'ventilation.operating',
  ],
  disabled: [
    ...MISSING_CIRCUITS,
    'heating.circuits.1.operating.programs.eco',
    'heating.solar',
    'heating.solar.power.production',
    'heating.solar.power.cumulativeProduced',
    'heating.solar.pumps.circuit',
    'heating.solar.rechargeSuppression',
    'heating.solar.sensors.temperature.collector',
    'heating.solar.sensors.temperature.dhw',
    'heating.solar.statistics',
    'heating.dhw.sensors.temperature.dhwCylinder.bottom',
    'heating.dhw.sensors.temperature.dhwCylinder.top',
    'heating.dhw.temperature.temp2',
    'heating.dhw.charging',
    'heating.bufferCylinder.sensors.temperature.top',
    'heating.buffer.sensors.temperature.main',
    'heating.compressors.1',
    'heating.compressors.1.statistics',
    'heating.secondaryHeatGenerator',
    'heating.boiler.temperature.current',
    'ventilation.quickmodes.comfort',
    'ventilation.quickmodes.eco',
    'ventilation.sensors.temperature.supply',
    'ventilation.operating.programs.holiday',
  ],
};
