/**
 * The identities that hubs remember (unique ids, component keys, device identifiers). They are frozen and made of the platform's ids and
 * names; only the bridge's own ids contain `mqtt.base`, if it is not the default. Every mapping here is injective.
 */

/** `origin.name` of the documents, and the start of every id. */
export const ORIGIN = 'heating2mqtt';

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

/** Characters other than `[A-Za-z0-9-]` become `__<code point>_`: hubs allow `[A-Za-z0-9_-]` in topics, and a single `_` separates the parts. */
const idPart = (id: string): string => (id === '' ? '__00_' : id.replace(/[^A-Za-z0-9-]/gu, (character) => `__${codePoint(character)}_`));

/** `heating2mqtt_<gateway>_<device>`: the object id in the discovery topic, and the start of the unique ids. */
export const objectId = (gateway: string, device: string): string => `${ORIGIN}_${idPart(gateway)}_${idPart(device)}`;

/** The bridge's object id with the default base. It cannot equal a device's, which has two parts. */
export const BRIDGE_OBJECT_ID = `${ORIGIN}_bridge`;

/** The default of `mqtt.base`, whose ids do not contain the base. */
const DEFAULT_BASE = ORIGIN;

/** The bridge's object id, with the base because two bridges on one broker have two bases. It has three parts, a device's has two. */
export const bridgeObjectId = (base: string): string =>
  base === DEFAULT_BASE ? BRIDGE_OBJECT_ID : `${BRIDGE_OBJECT_ID}_base_${idPart(base)}`;

// `d` separates gateway and device, `x` encloses escaped characters, and an escaped `r` keeps devices distinct from `bridge`.
const plain = (id: string): string => id.replace(/[^0-9a-ce-qs-wyz]/gu, (character) => `x${codePoint(character)}x`);

/** The device's identifier, `heating2mqtt7571381699991111d0`. openHAB makes its Thing id of it and re-encodes all but letters and digits. */
export const identifier = (gateway: string, device: string): string => `${ORIGIN}${plain(gateway)}d${plain(device)}`;

/** The identifier of a part of a device with this identifier; `d` separates here too. */
export const partIdentifier = (device: string, part: string): string => `${device}d${plain(part)}`;

export const BRIDGE_IDENTIFIER = `${ORIGIN}bridge`;

/** The identifier of the bridge's own device. */
export const bridgeIdentifier = (base: string): string => (base === DEFAULT_BASE ? BRIDGE_IDENTIFIER : BRIDGE_IDENTIFIER + plain(base));

/** The name of the bridge's own device. */
export const bridgeName = (base: string): string => (base === DEFAULT_BASE ? ORIGIN : `${ORIGIN} (${base})`);

/** One level of a name: a capital `X` as `__x`, characters other than letters and digits as `__<code point>_`, an empty level as `__00_`. */
const keyLevel = (level: string): string =>
  level === ''
    ? '__00_'
    : level.replace(/[^a-z0-9]/gu, (character) =>
        /[A-Z]/.test(character) ? `__${character.toLowerCase()}` : `__${codePoint(character)}_`,
      );

/**
 * The component key of a property: `heating_sensors_temperature_outside_value`, `heating_dhw_one__time__charge_active`.
 * Only `[a-z0-9_]`, because openHAB makes channel ids of keys. A single `_` is a dot or the separator before the property.
 */
export const componentKey = (feature: string, property: string): string => [...feature.split('.'), property].map(keyLevel).join('_');

/** The component key of an entity that is no property: `heating_circuits_0_heating_schedule_next_at`. */
export const partKey = (feature: string, word: string): string => `${feature.split('.').map(keyLevel).join('_')}_${word}`;

/** The object id of a part of a device with this object id: `heating2mqtt_7571381699991111_0_part_heating_circuits_0`. */
export const partObjectId = (object: string, part: string): string => `${object}_part_${part.split('.').map(keyLevel).join('_')}`;

const PART = /^(heating2mqtt_(?:[A-Za-z0-9-]|__\d+_)+_(?:[A-Za-z0-9-]|__\d+_)+)_part_./;

/** The object id of the device that an object id is a part of; the object id itself where it is no part's. */
export const mainObjectId = (object: string): string => PART.exec(object)?.[1] ?? object;
