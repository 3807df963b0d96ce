import type { Language } from '../language.ts';
import { type DeviceKind, deviceWords } from './devices.ts';

/** The data for a device's default name. */
export type Described = {
  readonly device: string;
  /** From the device list. */
  readonly model?: string | undefined;
  readonly type?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  /** From the device's own features. */
  readonly given?: string | undefined;
  readonly variant?: string | undefined;
  readonly features: readonly string[];
};

const KINDS_BY_ROLE: readonly (readonly [RegExp, DeviceKind])[] = [
  [/^type:gateway(?:;|$)/i, 'gateway'],
  [/^type:heatpump/i, 'heatPump'],
  [/^type:fuelcell/i, 'fuelCell'],
  [/^type:(?:pellets?|wood|firewood)/i, 'woodBoiler'],
  [/^type:oil/i, 'oilBoiler'],
  [/^type:boiler/i, 'boiler'],
  [/smartRoomControl|^type:roomControl/i, 'roomControl'],
  [/^type:(?:radiator|trv)/i, 'radiatorThermostat'],
  [/^type:(?:fht|floor)/i, 'floorThermostat'],
  [/^type:climateSensor/i, 'climateSensor'],
  [/^type:repeater/i, 'repeater'],
  [/^type:(?:room)?thermostat/i, 'roomThermostat'],
  [/^type:(?:ess|electricityStorage)/i, 'battery'],
  [/^type:(?:photovoltaic|pv)/i, 'photovoltaics'],
  [/^type:(?:ev|wallbox|charging)/i, 'wallbox'],
  [/^type:hems/i, 'energyManager'],
  [/^type:ventilation$/i, 'ventilation'],
];

const KINDS_BY_TYPE: readonly (readonly [RegExp, DeviceKind])[] = [
  [/^(?:gateway|vitoconnect|tcu)$/i, 'gateway'],
  [/^roomControl$/i, 'roomControl'],
  [/^electricityStorage$/i, 'battery'],
  [/^ventilation$/i, 'ventilation'],
  [/^hems$/i, 'energyManager'],
];

export const KINDS_BY_FEATURE: readonly (readonly [RegExp, DeviceKind])[] = [
  [/^trv(?:\.|$)/, 'radiatorThermostat'],
  [/^fht(?:\.|$)/, 'floorThermostat'],
  [/^heating\.compressors(?:\.|$)/, 'heatPump'],
  [/^heating\.fuelCell(?:\.|$)/, 'fuelCell'],
  [/^heating\.gas(?:\.|$)/, 'gasBoiler'],
  [/^heating\.(?:burners?|boiler\.sensors|boiler\.temperature)(?:\.|$)/, 'boiler'],
  [/^heating\.(?:circuits|dhw)(?:\.|$)/, 'heating'],
  [/^rooms(?:\.|$)/, 'roomControl'],
  [/^ventilation\./, 'ventilation'],
  [/^(?:ess|pcc)(?:\.|$)/, 'battery'],
  [/^photovoltaic(?:\.|$)/, 'photovoltaics'],
  [/^gateway\./, 'gateway'],
  [/^device\.sensors\.humidity$/, 'climateSensor'],
  [/^heating(?:\.|$)/, 'heating'],
];

const firstOf = (kinds: readonly (readonly [RegExp, DeviceKind])[], texts: readonly string[]): DeviceKind | undefined =>
  kinds.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1];

const kindOf = ({ device, type, roles = [], features }: Described): DeviceKind => {
  const kind =
    (device === 'gateway' ? 'gateway' : undefined) ??
    firstOf(KINDS_BY_ROLE, roles) ??
    firstOf(KINDS_BY_TYPE, [type ?? '']) ??
    firstOf(KINDS_BY_FEATURE, features) ??
    (type === 'heating' ? 'heating' : 'device');
  return kind === 'boiler' && features.some((name) => /^heating\.gas\./.test(name)) ? 'gasBoiler' : kind;
};

// `E3_Vitocal_252A`, `Vitocal250A`, `E3_Vitodens_300_W_B3HA`, `VitoconnectOpto2`. Two digits after the word
// are an unknown code.
const PRODUCT = /^(?:E\d+_)?(Vito[a-z]+)[_ -]*([A-Z]{0,3}[_ -]?\d{3}(?!\d)(?:[_ -]?[A-Z]{1,2}(?![A-Za-z0-9]))?)?/;

/** The product name, "Vitocal 252A", "Vitodens 300-W"; undefined for any other text. */
export const productIn = (text: string): string | undefined => {
  const [, word, code = ''] = PRODUCT.exec(text) ?? [];
  if (word === undefined) return undefined;
  return `${word} ${code.replace(/[_ ](?=[A-Z]$)/, '-').replaceAll('_', ' ')}`.trim();
};

const LONGEST = 60;
const plain = (text: string | undefined): string => [...(text ?? '').replace(/[\s\p{C}_]+/gu, ' ').trim()].slice(0, LONGEST).join('');

/**
 * The default name of a device: the one from the vendor's app, its product, or its kind: "Vitocal 252A", "Gas
 * boiler", "Gateway".
 */
export const deviceName = (described: Described, language: Language): string => {
  const { given, variant, model } = described;
  const kind = kindOf(described);
  const named = plain(given) || (kind === 'gateway' ? '' : (productIn(variant ?? '') ?? productIn(model ?? '') ?? plain(variant)));
  return named || (kind === 'device' ? plain(model) : '') || deviceWords(kind, language);
};

/** One of several devices: `base` is its own name, `kept` its earlier addition to that name. */
export type Peer = { readonly key: string; readonly base: string; readonly description: string; readonly kept: string | undefined };

/** The addition that distinguishes equal names: installation description, a number from 2, or none. */
export const distinctionsOf = (peers: readonly Peer[]): ReadonlyMap<string, string> => {
  const distinctions = new Map<string, string>();
  for (const same of Map.groupBy(peers, ({ base }) => base.toLowerCase()).values()) {
    const taken = new Set<string>();
    const take = (key: string, text: string): void => {
      taken.add(text.toLowerCase());
      distinctions.set(key, text);
    };
    // An earlier addition stays when other devices are added.
    for (const { key, kept } of same) if (kept !== undefined && !taken.has(kept.toLowerCase())) take(key, kept);
    for (const { key, description } of same) {
      if (distinctions.has(key)) continue;
      const isAlone = same.length === 1;
      const isTelling =
        description !== '' && same.filter((one) => one.description.toLowerCase() === description.toLowerCase()).length === 1;
      if (!isAlone && isTelling && !taken.has(description.toLowerCase())) take(key, description);
      else if (!taken.has('')) take(key, '');
      else for (let n = 2; !distinctions.has(key); n += 1) if (!taken.has(String(n))) take(key, String(n));
    }
  }
  return distinctions;
};

/** The full name: "Ferienhaus Vitocal 252A", "Radiator thermostat 2". */
export const distinguished = (base: string, distinction: string): string => {
  if (distinction === '') return base;
  return /^\d+$/.test(distinction) ? `${base} ${distinction}` : `${distinction} ${base}`;
};
