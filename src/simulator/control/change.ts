import type { House } from '../home/house.ts';
import type { Json } from '../http/json.ts';

/** Something that a command does to the house, as soon as it shows. */
export type Change = { readonly apply: (house: House, device: string | undefined, at: number) => void };

/** The change of one property, hidden ones included; nothing happens where the feature is gone. */
export const writeChange = (feature: string, property: string, value: Json): Change => ({
  apply: (house, device, at) => {
    const record = house.record(device, feature);
    if (record) house.put(record, property, value, at);
  },
});
