import type { Message } from '../../../src/shared/message.ts';

/**
 * What Home Assistant (2024.11 and later) and openHAB (5.2 and later) refuse, drop or log in a device document, as a list of sentences.
 * The tables are written down here a second time on purpose: nothing is taken from the code that makes documents.
 */

type Row = Readonly<Record<string, unknown>>;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ROOT = words('device origin components availability availability_mode qos');
const DEVICE = words(`identifiers connections manufacturer model model_id name hw_version sw_version serial_number via_device suggested_area
  configuration_url`);
const ORIGIN = words('name sw_version support_url');
const AVAILABILITY = words('topic payload_available payload_not_available value_template');

const COMMON = `platform unique_id default_entity_id name icon entity_category enabled_by_default json_attributes_topic
  json_attributes_template qos availability`;
const PLATFORMS: Readonly<Record<string, ReadonlySet<string>>> = {
  sensor: words(`${COMMON} state_topic value_template device_class state_class unit_of_measurement suggested_display_precision options`),
  binary_sensor: words(`${COMMON} state_topic value_template device_class payload_on payload_off`),
  button: words(`${COMMON} command_topic payload_press device_class`),
  climate: words(`${COMMON} modes mode_state_topic mode_state_template mode_command_topic temperature_state_topic temperature_state_template
    temperature_command_topic min_temp max_temp temp_step precision temperature_unit current_temperature_topic current_temperature_template
    preset_modes preset_mode_state_topic preset_mode_value_template preset_mode_command_topic
    preset_mode_command_template current_humidity_topic current_humidity_template action_topic action_template`),
  event: words(`${COMMON} state_topic value_template event_types device_class`),
  number: words(`${COMMON} state_topic command_topic value_template device_class unit_of_measurement min max step mode`),
  select: words(`${COMMON} state_topic command_topic value_template command_template options`),
  switch: words(`${COMMON} state_topic command_topic value_template payload_on payload_off device_class`),
  text: words(`${COMMON} state_topic command_topic value_template min max mode`),
  water_heater: words(`${COMMON} modes mode_state_topic mode_state_template mode_command_topic temperature_state_topic
    temperature_state_template temperature_command_topic min_temp max_temp precision temperature_unit current_temperature_topic
    current_temperature_template`),
};

const SENSOR_CLASSES: Readonly<Record<string, { readonly units: ReadonlySet<string>; readonly states: ReadonlySet<string> }>> = {
  battery: { units: words('%'), states: words('measurement') },
  carbon_dioxide: { units: words('ppm'), states: words('measurement') },
  current: { units: words('A mA'), states: words('measurement') },
  date: { units: new Set(), states: new Set() },
  distance: { units: words('km m cm mm'), states: words('measurement total total_increasing') },
  duration: { units: words('d h min s ms'), states: words('measurement total total_increasing') },
  energy: { units: words('J kJ MJ GJ Wh kWh MWh'), states: words('total total_increasing') },
  enum: { units: new Set(), states: new Set() },
  gas: { units: words('m³ L'), states: words('total total_increasing') },
  humidity: { units: words('%'), states: words('measurement') },
  pm1: { units: words('\u03bcg/m³'), states: words('measurement') },
  pm10: { units: words('\u03bcg/m³'), states: words('measurement') },
  pm25: { units: words('\u03bcg/m³'), states: words('measurement') },
  power: { units: words('mW W kW MW'), states: words('measurement') },
  pressure: { units: words('Pa hPa kPa bar mbar'), states: words('measurement') },
  signal_strength: { units: words('dB dBm'), states: words('measurement') },
  temperature: { units: words('°C °F K'), states: words('measurement') },
  timestamp: { units: new Set(), states: new Set() },
  voltage: { units: words('V mV'), states: words('measurement') },
  volume: { units: words('L mL m³'), states: words('total total_increasing') },
  volume_flow_rate: { units: words('m³/h L/h L/min'), states: words('measurement') },
  volume_storage: { units: words('L mL m³'), states: words('measurement') },
  water: { units: words('L m³'), states: words('total total_increasing') },
  weight: { units: words('kg g'), states: words('measurement') },
};
const BINARY_CLASSES = words(`battery cold connectivity door heat light lock moisture motion moving occupancy opening plug power presence
  problem running safety smoke sound tamper update vibration window`);

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
const strings = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
};

type Problem = (where: string, what: string) => void;

const onlyKeys = (problem: Problem, where: string, row: Row, allowed: ReadonlySet<string>): void => {
  for (const key of Object.keys(row)) if (!allowed.has(key)) problem(where, `the key ${key} is not known`);
};

const checkTopic = (problem: Problem, where: string, topic: unknown): void => {
  if (typeof topic !== 'string' || topic === '' || Buffer.byteLength(topic) > 65535) problem(where, `${String(topic)} is no topic`);
  else if (/[+#\p{Cc}]/u.test(topic)) problem(where, `${topic} has a wildcard or a control character`);
};

const checkDevice = (problem: Problem, device: unknown): void => {
  if (!isRow(device)) {
    problem('device', 'is missing');
    return;
  }
  onlyKeys(problem, 'device', device, DEVICE);
  const ids = device.identifiers;
  if (!Array.isArray(ids) || ids.length !== 1 || !/^[a-z0-9]+$/.test(String(ids[0]))) problem('device', 'needs one plain identifier');
  if (typeof device.name !== 'string' || device.name === '') problem('device', 'has no name');
};

const checkSensor = (problem: Problem, where: string, sensor: Row): void => {
  const { device_class: deviceClass, unit_of_measurement: unit, state_class: state } = sensor;
  if (sensor.entity_category === 'config') problem(where, 'a sensor is no setting');
  if (sensor.options !== undefined && deviceClass !== 'enum') problem(where, 'options without enum');
  if (deviceClass === 'enum') checkList(problem, where, sensor.options);
  if (unit === '') problem(where, 'has an empty unit');
  if (typeof unit === 'string' && unit.includes('\u00b5')) problem(where, 'has the micro sign in its unit');
  if (state !== undefined && !['measurement', 'total', 'total_increasing'].includes(String(state)))
    problem(where, 'has an unknown state_class');
  if (deviceClass === undefined) return;
  const known = Object.hasOwn(SENSOR_CLASSES, String(deviceClass)) ? SENSOR_CLASSES[String(deviceClass)] : undefined;
  if (!known) {
    problem(where, `the class ${String(deviceClass)} is not known`);
    return;
  }
  if (known.units.size === 0 ? unit !== undefined : !known.units.has(String(unit)))
    problem(where, `the unit ${String(unit)} is not one of its class`);
  if (state !== undefined && !known.states.has(String(state))) problem(where, `the class ${String(deviceClass)} takes no ${String(state)}`);
};

const checkBinarySensor = (problem: Problem, where: string, sensor: Row): void => {
  if (sensor.entity_category === 'config') problem(where, 'a binary sensor is no setting');
  if (!['true/false', 'on/off'].includes(`${String(sensor.payload_on)}/${String(sensor.payload_off)}`)) problem(where, 'is not on and off');
  if (sensor.device_class !== undefined && !BINARY_CLASSES.has(String(sensor.device_class))) problem(where, 'has an unknown class');
};

/** A cleared topic must give `None` (or no attributes, or no event), and nothing may touch `value_json` before it is known to be there. */
const checkTemplates = (problem: Problem, where: string, component: Row): void => {
  for (const [key, topic] of Object.entries(component)) {
    if (!/(^|_)(state|current_temperature|current_humidity|action|mode_state|attributes)_topic$|^action_topic$/.test(key)) continue;
    const named = component[TEMPLATES[key] ?? 'value_template'];
    const template = typeof named === 'string' ? named : '';
    checkTopic(problem, where, topic);
    const nothing = key === 'json_attributes_topic' || component.platform === 'event' ? "'{}'" : "'None'";
    if (component.platform === 'text' && key !== 'json_attributes_topic') {
      if (!template.includes("value[:254] ~ '…'")) problem(where, 'can be longer than a state');
      if (template.includes('None')) problem(where, 'a text would show None');
    } else if (!template.includes(nothing)) problem(where, `${key} cannot become unknown`);
    // openHAB warns of each message that gives no state of a list, so nothing may be listened to that never gives one.
    if (!/\bvalue/.test(template)) problem(where, `${template} shows nothing of ${key}`);
    if (!/^\{\{ .+ \}\}$/s.test(template)) problem(where, `${template} is no template`);
    if (template.includes('value_json') && !/ if value(_json is defined)?( |\b)/.test(template))
      problem(where, `${template} needs a JSON payload`);
  }
};

const TEMPLATES: Readonly<Record<string, string>> = {
  json_attributes_topic: 'json_attributes_template',
  mode_state_topic: 'mode_state_template',
  temperature_state_topic: 'temperature_state_template',
  current_temperature_topic: 'current_temperature_template',
  current_humidity_topic: 'current_humidity_template',
  preset_mode_state_topic: 'preset_mode_value_template',
  action_topic: 'action_template',
};

/** At least one, all different, none empty or longer than a state. */
const checkList = (problem: Problem, where: string, list: unknown, isOne: (text: string) => boolean = () => true): void => {
  if (!Array.isArray(list) || list.length === 0) problem(where, 'has an empty list');
  else if (new Set(list).size < list.length) problem(where, 'lists something twice');
  else if (!list.every((one) => typeof one === 'string' && one !== '' && one.length <= 255 && isOne(one)))
    problem(where, `lists what is no text, or not allowed: ${list.join(', ')}`);
};

const checkRange = (problem: Problem, where: string, min: unknown, max: unknown): void => {
  if (typeof min !== 'number' || typeof max !== 'number' || min >= max) problem(where, `${String(min)} to ${String(max)} is no range`);
};

const WATER_MODES = words('off eco electric gas heat_pump high_demand performance');
const CLIMATE_MODES = words('off auto heat cool');

/** What only the platforms that hubs write to have. */
const CHECKS: Readonly<Record<string, (problem: Problem, where: string, row: Row) => void>> = {
  number: (problem, where, row) => {
    checkRange(problem, where, row.min, row.max);
    if (typeof row.step !== 'number' || row.step < 0.001) problem(where, `${String(row.step)} is no step`);
    const known = typeof row.device_class === 'string' ? SENSOR_CLASSES[row.device_class] : undefined;
    if (row.device_class !== undefined && !known?.units.has(String(row.unit_of_measurement)))
      problem(where, 'has a class that its unit is not of');
  },
  select: (problem, where, row) => checkList(problem, where, row.options),
  switch: (problem, where, row) => {
    if (row.payload_on !== 'true' || row.payload_off !== 'false') problem(where, 'is not true and false');
  },
  text: (problem, where, row) => {
    if (row.min !== 0 || typeof row.max !== 'number' || row.max < 1 || row.max > 255) problem(where, 'is too long for a state');
  },
  climate: (problem, where, row) => {
    checkList(problem, where, row.modes, (mode) => CLIMATE_MODES.has(mode));
    if ((row.preset_modes === undefined) !== (row.preset_mode_command_topic === undefined))
      problem(where, 'has presets or a command for them, not both');
    if (row.preset_modes !== undefined) checkList(problem, where, row.preset_modes, (preset) => preset.toLowerCase() !== 'none');
    if (row.min_temp !== undefined || row.max_temp !== undefined) checkRange(problem, where, row.min_temp, row.max_temp);
    if (row.temp_step !== undefined && !(Number(row.temp_step) > 0)) problem(where, 'has no step');
  },
  water_heater: (problem, where, row) => {
    if (row.modes !== undefined) checkList(problem, where, row.modes, (mode) => WATER_MODES.has(mode));
    checkRange(problem, where, row.min_temp, row.max_temp);
  },
};
const COMMANDED = words('button number select switch text');

const checkComponent = (problem: Problem, key: string, component: unknown): void => {
  if (!/^[a-z0-9_]+$/.test(key)) problem(key, 'is no component key');
  if (!isRow(component)) {
    problem(key, 'is no component');
    return;
  }
  const platform = String(component.platform);
  const allowed = Object.hasOwn(PLATFORMS, platform) ? PLATFORMS[platform] : undefined;
  if (!allowed) {
    problem(key, `the platform ${platform} is not known`);
    return;
  }
  onlyKeys(problem, key, component, allowed);
  if (!/^[A-Za-z0-9_-]+$/.test(String(component.unique_id))) problem(key, 'has no plain unique_id');
  const entity = String(component.default_entity_id);
  if (!entity.startsWith(`${platform}.`) || !/^[a-z_]+\.[a-z0-9_]{1,230}$/.test(entity)) problem(key, `${entity} is no entity id`);
  if (typeof component.name !== 'string' || component.name.trim() === '') problem(key, 'has no name');
  if (component.icon !== undefined && !/^[a-z]+:[a-z0-9-]+$/.test(String(component.icon))) problem(key, 'has no icon of a set');
  if (platform === 'event' && component.entity_category !== undefined) problem(key, 'an event takes no category');
  if (platform === 'event' && !Array.isArray(component.event_types)) problem(key, 'an event needs types');
  if (!['button', 'climate', 'water_heater'].includes(platform)) checkTopic(problem, key, component.state_topic);
  for (const [name, topic] of Object.entries(component)) if (name.endsWith('command_topic')) checkTopic(problem, key, topic);
  if (COMMANDED.has(platform) && component.command_topic === undefined) problem(key, 'has nowhere to write to');
  CHECKS[platform]?.(problem, key, component);
  checkTemplates(problem, key, component);
  if (platform === 'sensor') checkSensor(problem, key, component);
  if (platform === 'binary_sensor') checkBinarySensor(problem, key, component);
};

/** openHAB follows the topics of all components for the whole Thing, so a component may only name some of the root's. */
const checkAvailability = (problem: Problem, key: string, component: unknown, root: readonly Row[]): void => {
  const own = isRow(component) ? component.availability : undefined;
  if (own === undefined) return;
  const topics = new Set(root.map(({ topic }) => topic));
  const isPartOfRoot = Array.isArray(own) && own.length > 0 && own.every((entry) => isRow(entry) && topics.has(entry.topic));
  if (!isPartOfRoot) problem(key, 'has an availability that the device has not');
};

const checkTwice = (problem: Problem, what: string, rows: readonly (readonly [string, Row])[], of: (row: Row) => unknown): void => {
  const seen = new Map<string, string>();
  for (const [key, row] of rows) {
    const value = String(of(row));
    const first = seen.get(value);
    if (first !== undefined) problem(key, `has the same ${what} as ${first}: ${value}`);
    seen.set(value, key);
  }
};

/** Every rule that a device document breaks, as `place: what`. */
export const lintDocument = (message: Message): string[] => {
  const problems: string[] = [];
  const problem: Problem = (where, what) => void problems.push(`${where}: ${what}`);
  if (!/^[A-Za-z0-9_/-]+\/device\/[A-Za-z0-9_-]+\/config$/.test(message.topic)) problem('topic', `${message.topic} is not discovered`);
  if (!message.retain) problem('topic', 'is not retained');
  const document: unknown = JSON.parse(message.payload);
  if (!isRow(document)) return [...problems, 'document: is no object'];
  onlyKeys(problem, 'document', document, ROOT);
  if (strings(document).some((text) => !text.isWellFormed())) problem('document', 'has half a character');
  checkDevice(problem, document.device);
  if (!isRow(document.origin) || typeof document.origin.name !== 'string') problem('origin', 'has no name');
  else onlyKeys(problem, 'origin', document.origin, ORIGIN);
  if (!Array.isArray(document.availability) || document.availability_mode !== 'all')
    problem('availability', 'is not one list of which all count');
  const root: readonly Row[] = Array.isArray(document.availability) ? document.availability : [];
  for (const entry of root) {
    onlyKeys(problem, 'availability', entry, AVAILABILITY);
    checkTopic(problem, 'availability', entry.topic);
  }
  const components = Object.entries(isRow(document.components) ? document.components : {});
  if (components.length === 0) problem('components', 'are missing');
  for (const [key, component] of components) {
    checkComponent(problem, key, component);
    checkAvailability(problem, key, component, root);
  }
  const rows = components.flatMap(([key, component]): [string, Row][] => (isRow(component) ? [[key, component]] : []));
  const alike = {
    unique_id: (row: Row) => row.unique_id,
    'entity id': (row: Row) => row.default_entity_id,
    name: (row: Row) => String(row.name).toLowerCase(),
  };
  for (const [what, of] of Object.entries(alike)) checkTwice(problem, what, rows, of);
  return problems;
};
