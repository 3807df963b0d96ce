import type { Message } from '../../src/base/message.ts';

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
  json_attributes_template qos`;
const PLATFORMS: Readonly<Record<string, ReadonlySet<string>>> = {
  sensor: words(`${COMMON} state_topic value_template device_class state_class unit_of_measurement suggested_display_precision options`),
  binary_sensor: words(`${COMMON} state_topic value_template device_class payload_on payload_off`),
  button: words(`${COMMON} command_topic payload_press device_class`),
  event: words(`${COMMON} state_topic value_template event_types device_class`),
};

const SENSOR_CLASSES: Readonly<Record<string, { readonly units: ReadonlySet<string>; readonly states: ReadonlySet<string> }>> = {
  battery: { units: words('%'), states: words('measurement') },
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
  if (sensor.payload_on !== 'true' || sensor.payload_off !== 'false') problem(where, 'is not true and false');
  if (sensor.device_class !== undefined && !BINARY_CLASSES.has(String(sensor.device_class))) problem(where, 'has an unknown class');
};

/** A cleared topic must give `None` (or no attributes, or no event), and nothing may touch `value_json` before it is known to be there. */
const checkTemplates = (problem: Problem, where: string, component: Row): void => {
  const value = component.value_template;
  const attributes = component.json_attributes_template;
  const nothing = component.platform === 'event' ? "'{}'" : "'None'";
  if (component.state_topic !== undefined && !(typeof value === 'string' && value.includes(nothing)))
    problem(where, 'cannot become unknown');
  if (component.json_attributes_topic !== undefined && !(typeof attributes === 'string' && attributes.includes("'{}'"))) {
    problem(where, 'its attributes cannot be cleared');
  }
  for (const template of [value, attributes]) {
    if (typeof template !== 'string') continue;
    if (!/^\{\{ .+ \}\}$/s.test(template)) problem(where, `${template} is no template`);
    if (template.includes('value_json') && !/ if value(_json is defined)?( |\b)/.test(template))
      problem(where, `${template} needs a JSON payload`);
  }
};

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
  checkTopic(problem, key, platform === 'button' ? component.command_topic : component.state_topic);
  if (component.json_attributes_topic !== undefined) checkTopic(problem, key, component.json_attributes_topic);
  checkTemplates(problem, key, component);
  if (platform === 'sensor') checkSensor(problem, key, component);
  if (platform === 'binary_sensor') checkBinarySensor(problem, key, component);
};

const checkTwice = (problem: Problem, what: string, all: readonly (readonly [string, unknown])[]): void => {
  const seen = new Map<string, string>();
  for (const [key, value] of all) {
    const first = seen.get(String(value));
    if (first !== undefined) problem(key, `has the same ${what} as ${first}: ${String(value)}`);
    seen.set(String(value), key);
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
  for (const entry of Array.isArray(document.availability) ? document.availability : []) {
    onlyKeys(problem, 'availability', entry, AVAILABILITY);
    checkTopic(problem, 'availability', entry.topic);
  }
  const components = Object.entries(isRow(document.components) ? document.components : {});
  if (components.length === 0) problem('components', 'are missing');
  for (const [key, component] of components) checkComponent(problem, key, component);
  const rows = components.flatMap(([key, component]): [string, Row][] => (isRow(component) ? [[key, component]] : []));
  checkTwice(
    problem,
    'unique_id',
    rows.map(([key, row]) => [key, row.unique_id]),
  );
  checkTwice(
    problem,
    'entity id',
    rows.map(([key, row]) => [key, row.default_entity_id]),
  );
  checkTwice(
    problem,
    'name',
    rows.map(([key, row]) => [key, String(row.name).toLowerCase()]),
  );
  return problems;
};
