/**
 * The identities that hubs store (unique ids, component keys, device identifiers). They never change and
 * consist of the platform's ids and names; only the bridge's own ids contain a non-default `mqtt.base`. Every
 * mapping here is injective.
 */

/** `origin.name` of the documents, and the start of every id. */
export const ORIGIN = 'heating2mqtt';

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

/** Other characters than `[A-Za-z0-9-]` become `__<code point>_`, which hubs allow; `_` separates parts. */
const idPart = (id: string): string => (id === '' ? '__00_' : id.replace(/[^A-Za-z0-9-]/gu, (character) => `__${codePoint(character)}_`));

/** `heating2mqtt_<gateway>_<device>`: the object id in the discovery topic and in the unique ids. */
export const objectId = (gateway: string, device: string): string => `${ORIGIN}_${idPart(gateway)}_${idPart(device)}`;

/** The bridge's object id with the default base. It cannot equal a device's, which has two parts. */
const BRIDGE_OBJECT_ID = `${ORIGIN}_bridge`;

/** The default of `mqtt.base`, whose ids do not contain the base. */
const DEFAULT_BASE = ORIGIN;

/** The bridge's object id, with its base: two bridges on a broker differ. Three parts; a device has two. */
export const bridgeObjectId = (base: string): string =>
  base === DEFAULT_BASE ? BRIDGE_OBJECT_ID : `${BRIDGE_OBJECT_ID}_base_${idPart(base)}`;

// `d` separates gateway and device, `x` encloses escapes; an escaped `r` cannot form `bridge`.
const plain = (id: string): string => id.replace(/[^0-9a-ce-qs-wyz]/gu, (character) => `x${codePoint(character)}x`);

/** The identifier, `heating2mqtt7571381699991111d0`: openHAB's Thing id, letters and digits only. */
export const identifier = (gateway: string, device: string): string => `${ORIGIN}${plain(gateway)}d${plain(device)}`;

/** The identifier of a part of a device with this identifier; `d` separates here too. */
export const partIdentifier = (device: string, part: string): string => `${device}d${plain(part)}`;

export const BRIDGE_IDENTIFIER = `${ORIGIN}bridge`;

/** The identifier of the bridge's own device. */
export const bridgeIdentifier = (base: string): string => (base === DEFAULT_BASE ? BRIDGE_IDENTIFIER : BRIDGE_IDENTIFIER + plain(base));

/** The name of the bridge's own device. */
export const bridgeName = (base: string): string => (base === DEFAULT_BASE ? ORIGIN : `${ORIGIN} (${base})`);

/** One name level: `X` becomes `__x`, other special characters `__<code point>_`, an empty level `__00_`. */
const keyLevel = (level: string): string =>
  level === ''
    ? '__00_'
    : level.replace(/[^a-z0-9]/gu, (character) =>
        /[A-Z]/.test(character) ? `__${character.toLowerCase()}` : `__${codePoint(character)}_`,
      );

/**
 * A property's component key: `heating_sensors_temperature_outside_value`,
 * `heating_dhw_one__time__charge_active`. Only `[a-z0-9_]`, because openHAB derives channel ids from it. A
 * single `_` is a dot or precedes the property.
 */
export const componentKey = (feature: string, property: string): string => [...feature.split('.'), property].map(keyLevel).join('_');

/** The component key of an entity that is not a property: `heating_circuits_0_heating_schedule_next_at`. */
export const partKey = (feature: string, word: string): string => `${feature.split('.').map(keyLevel).join('_')}_${word}`;

/** The object id of a device's part: `heating2mqtt_7571381699991111_0_part_heating_circuits_0`. */
export const partObjectId = (object: string, part: string): string => `${object}_part_${part.split('.').map(keyLevel).join('_')}`;

const PART = /^(heating2mqtt_(?:[A-Za-z0-9-]|__\d+_)+_(?:[A-Za-z0-9-]|__\d+_)+)_part_./;

/** The object id of the device that a part belongs to; the object id itself if it is not a part's. */
export const mainObjectId = (object: string): string => PART.exec(object)?.[1] ?? object;
