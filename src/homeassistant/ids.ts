/**
 * The identities hubs remember (unique ids, component keys, device identifiers): frozen, made of the platform's own ids and names alone.
 * Only the bridge's own device has no such id: with another base than the default it has the base in its ids.
 * Every mapping here is injective, so nothing has to be left out because two names look alike.
 */

const PREFIX = 'heating2mqtt';

/** The one who publishes, as `origin.name` and as the first word of every id. */
export const ORIGIN = PREFIX;

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

/** Whatever is not `[A-Za-z0-9-]` as `__<code point>_`: hubs allow only `[A-Za-z0-9_-]` in topics, and one `_` separates the parts. */
const idPart = (id: string): string => (id === '' ? '__00_' : id.replace(/[^A-Za-z0-9-]/gu, (character) => `__${codePoint(character)}_`));

/** `heating2mqtt_<gateway>_<device>`: the device's level in the discovery topic, and the beginning of its unique ids. */
export const objectId = (gateway: string, device: string): string => `${PREFIX}_${idPart(gateway)}_${idPart(device)}`;

/** The bridge's own object id with the default base; a device's has two parts. */
export const BRIDGE_OBJECT_ID = `${PREFIX}_bridge`;

/** The default of `mqtt.base`. Its bridge had its ids before there could be two bridges on one broker. */
const DEFAULT_BASE = 'heating2mqtt';

/** The bridge's own object id: two bridges on one broker have two bases. It has three parts, where a device's has two. */
export const bridgeObjectId = (base: string): string =>
  base === DEFAULT_BASE ? BRIDGE_OBJECT_ID : `${BRIDGE_OBJECT_ID}_base_${idPart(base)}`;

// `d` divides gateway and device, `x` frames what is escaped, and without a bare `r` no device can be called like the bridge.
const plain = (id: string): string => id.replace(/[^0-9a-ce-qs-wyz]/gu, (character) => `x${codePoint(character)}x`);

/** The device's only identifier, `heating2mqtt7571381699991111d0`: openHAB makes its Thing id of it and re-encodes all but letters and digits. */
export const identifier = (gateway: string, device: string): string => `${PREFIX}${plain(gateway)}d${plain(device)}`;

export const BRIDGE_IDENTIFIER = `${PREFIX}bridge`;

/** The identifier of the bridge's own device. */
export const bridgeIdentifier = (base: string): string => (base === DEFAULT_BASE ? BRIDGE_IDENTIFIER : BRIDGE_IDENTIFIER + plain(base));

/** What people call the bridge's own device. */
export const bridgeName = (base: string): string => (base === DEFAULT_BASE ? ORIGIN : `${ORIGIN} (${base})`);

/** One level of a name: a capital `X` as `__x`, anything but letters and digits as `__<code point>_`, no text at all as `__00_`. */
const keyLevel = (level: string): string =>
  level === ''
    ? '__00_'
    : level.replace(/[^a-z0-9]/gu, (character) =>
        /[A-Z]/.test(character) ? `__${character.toLowerCase()}` : `__${codePoint(character)}_`,
      );

/**
 * The component key of a property: `heating_sensors_temperature_outside_value`, `heating_dhw_one__time__charge_active`.
 * Only `[a-z0-9_]` (openHAB makes channel ids of keys); a single `_` is always a dot or the border to the property.
 */
export const componentKey = (feature: string, property: string): string => [...feature.split('.'), property].map(keyLevel).join('_');

/** The component key of what a feature has beside its properties, by a word of ours: `heating_circuits_0_heating_schedule_next_at`. */
export const partKey = (feature: string, word: string): string => `${feature.split('.').map(keyLevel).join('_')}_${word}`;
