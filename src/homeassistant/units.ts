/** The role of a number in statistics: a reading; an amount or time that may be a counter; or none. */
type Kind = 'reading' | 'amount' | 'time' | 'none';

type Unit = {
  /** In Home Assistant's spelling, because its classes refuse others. */
  readonly symbol: string;
  readonly deviceClass?: string;
  readonly kind: Kind;
  /** Displayed decimals. */
  readonly precision?: number;
};

const CELSIUS: Unit = { symbol: '°C', deviceClass: 'temperature', kind: 'reading', precision: 1 };
// Temperature differences: as `temperature`, a hub in °F would convert 2.5 K as an absolute value.
const KELVIN: Unit = { symbol: 'K', kind: 'reading', precision: 1 };
const HOURS: Unit = { symbol: 'h', deviceClass: 'duration', kind: 'time' };
const MINUTES: Unit = { symbol: 'min', deviceClass: 'duration', kind: 'time' };
const SECONDS: Unit = { symbol: 's', deviceClass: 'duration', kind: 'time' };
const DAYS: Unit = { symbol: 'd', deviceClass: 'duration', kind: 'time' };

export const UNITS: Readonly<Record<string, Unit>> = {
  celsius: CELSIUS,
  Celsius: CELSIUS,
  fahrenheit: { symbol: '°F', kind: 'reading', precision: 1 },
  kelvin: KELVIN,
  percent: { symbol: '%', kind: 'reading' },
  kilowattHour: { symbol: 'kWh', deviceClass: 'energy', kind: 'amount', precision: 1 },
  wattHour: { symbol: 'Wh', deviceClass: 'energy', kind: 'amount' },
  cubicMeter: { symbol: 'm³', deviceClass: 'volume', kind: 'amount', precision: 1 },
  watt: { symbol: 'W', deviceClass: 'power', kind: 'reading' },
  kilowatt: { symbol: 'kW', deviceClass: 'power', kind: 'reading' },
  bar: { symbol: 'bar', deviceClass: 'pressure', kind: 'reading' },
  liter: { symbol: 'L', deviceClass: 'volume_storage', kind: 'reading' },
  'liter/hour': { symbol: 'L/h', deviceClass: 'volume_flow_rate', kind: 'reading' },
  'liter/minute': { symbol: 'L/min', deviceClass: 'volume_flow_rate', kind: 'reading' },
  'cubicMeter/hour': { symbol: 'm³/h', deviceClass: 'volume_flow_rate', kind: 'reading' },
  hour: HOURS,
  hours: HOURS,
  minute: MINUTES,
  minutes: MINUTES,
  second: SECONDS,
  seconds: SECONDS,
  day: DAYS,
  days: DAYS,
  ampere: { symbol: 'A', deviceClass: 'current', kind: 'reading' },
  volt: { symbol: 'V', deviceClass: 'voltage', kind: 'reading' },
  dBm: { symbol: 'dBm', deviceClass: 'signal_strength', kind: 'reading' },
  kg: { symbol: 'kg', deviceClass: 'weight', kind: 'reading' },
  meter: { symbol: 'm', deviceClass: 'distance', kind: 'reading' },
  partsPerMillion: { symbol: 'ppm', kind: 'reading' },
  // U+03BC, not the micro sign U+00B5.
  microgrammsPerCubicMeter: { symbol: '\u03bcg/m³', kind: 'reading' },
  rotationPerMinute: { symbol: 'rpm', kind: 'reading' },
  revolutionsPerSecond: { symbol: 'rps', kind: 'reading' },
  degree: { symbol: '°', kind: 'none' },
  'kilowattHour/year': { symbol: 'kWh/a', kind: 'none' },
  kilowattpeak: { symbol: 'kWp', kind: 'none' },
  kiloJoule: { symbol: 'kJ', deviceClass: 'energy', kind: 'none' },
};

/** True for a unit of energy or of a volume that is counted. */
export const isAmount = (unit: string): boolean => Object.hasOwn(UNITS, unit) && UNITS[unit]?.kind === 'amount';

/** Device classes that need the feature name too; the first row that matches counts. */
export const CLASSES: readonly { readonly unit: string; readonly feature: RegExp; readonly deviceClass: string }[] = [
  { unit: 'percent', feature: /(^|\.)sensors\.humidity(\.|$)/, deviceClass: 'humidity' },
  { unit: 'percent', feature: /(^|\.)battery$/, deviceClass: 'battery' },
  { unit: 'cubicMeter', feature: /^water(\.|$)/, deviceClass: 'water' },
  { unit: 'cubicMeter', feature: /(^|\.)gas(\.|$)/, deviceClass: 'gas' },
  { unit: 'partsPerMillion', feature: /\.co2$/, deviceClass: 'carbon_dioxide' },
  { unit: 'microgrammsPerCubicMeter', feature: /\.pm1$/, deviceClass: 'pm1' },
  { unit: 'microgrammsPerCubicMeter', feature: /\.pm10$/, deviceClass: 'pm10' },
  { unit: 'microgrammsPerCubicMeter', feature: /\.pm2d5$/, deviceClass: 'pm25' },
];

// Current periods. `lastMonth` or `lastSevenDays` rise and fall, and would damage the statistics permanently.
const RUNNING_PERIOD = /^current(Day|Week|Month|Year)$/;
// The meter's count since its installation.
const LIFETIME = /(?:^|\/)lifeCycle$|\.(?:total|cumulat\w+)(?:\.\w+)*\/value$/;
const COUNTED_TIME = /^(hours|operatingHours|hoursLoadClass\w+)$/;
const RUNTIME = /(^|\.)runtime$/;
const COUNTED = /^(starts|hours)$/;
const EFFICIENCY = /(^|\.)s?(cop|pf)\.\w+$/;
const AIR = /(^|\.)(airQuality|volatileOrganicCompounds)$/;
// Temperature differences, which older records give in °C and newer ones in K.
const DIFFERENCE = /(^|\.)(hysteresis|overheat|subcooling|temperature\.offset)(\.|$)/;
const SETTING = /(^|\.)configuration(\.|$)/;

/** The state class of a number by its role; `unitless` are numbers without a unit. */
const STATE_CLASSES: Readonly<Record<Kind | 'unitless', (feature: string, property: string) => string | undefined>> = {
  reading: (feature) => (SETTING.test(feature) ? undefined : 'measurement'),
  amount: (feature, property) =>
    RUNNING_PERIOD.test(property) || LIFETIME.test(`${feature}/${property}`) ? 'total_increasing' : undefined,
  time: (feature, property) => {
    const isRuntime = RUNTIME.test(feature) && /^(value|level\w+)$/.test(property);
    return isRuntime || COUNTED_TIME.test(property) ? 'total_increasing' : undefined;
  },
  unitless: (feature, property) => {
    if (COUNTED.test(property)) return 'total_increasing';
    return EFFICIENCY.test(feature) || AIR.test(feature) ? 'measurement' : undefined;
  },
  none: () => undefined,
};

/** Unit, classes and precision of a Home Assistant sensor, if known. */
export type Measure = {
  readonly unit_of_measurement?: string;
  readonly device_class?: string;
  readonly state_class?: string;
  readonly suggested_display_precision?: number;
};

/**
 * Converts the platform's unit (`celsius`). An unknown unit is shown as it is, without a class. Without a
 * unit, only the property's name tells whether the number is a counter.
 */
export const measure = (unit: string, feature: string, property: string): Measure => {
  const written = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  const known = written === CELSIUS && DIFFERENCE.test(feature) ? KELVIN : written;
  const state = STATE_CLASSES[known?.kind ?? (unit === '' ? 'unitless' : 'none')](feature, property);
  const deviceClass = CLASSES.find((row) => row.unit === unit && row.feature.test(feature))?.deviceClass ?? known?.deviceClass;
  // Home Assistant does not accept the micro sign U+00B5.
  const symbol = known?.symbol ?? unit.replaceAll('\u00b5', '\u03bc');
  return {
    ...(symbol === '' ? {} : { unit_of_measurement: symbol }),
    ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
    ...(state === undefined ? {} : { state_class: state }),
    ...(known?.precision === undefined ? {} : { suggested_display_precision: known.precision }),
  };
};
