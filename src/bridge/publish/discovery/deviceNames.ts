import * as z from 'zod/mini';
import type { DeviceTitle } from '../../../homeassistant/document.ts';
import type { Language } from '../../../language/language.ts';
import { type Described, deviceName, distinctionsOf, distinguished, type Peer } from '../../../language/names/deviceName.ts';
import type { KeyedStore } from '../../ports.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { keyedRows } from '../../state/keyedRows.ts';

const KEPT = z.object({ distinction: z.string() });

/** People write what they like into it, and every entity id begins with it. */
const LONGEST_DESCRIPTION = 60;

/** The key of what is kept of a device's name, beside the documents. */
const keyOf = (device: string): string => `name ${device}`;

const textOf = ({ features }: DeviceState, feature: string): string | undefined => {
  const properties = features.get(feature)?.truth.properties;
  const value = properties?.get('name')?.value ?? properties?.get('value')?.value;
  return typeof value === 'string' ? value : undefined;
};

const describedBy = (state: DeviceState): Described => ({
  device: state.device.device,
  model: state.device.model,
  type: state.device.type,
  roles: state.device.roles,
  given: textOf(state, 'device.name'),
  variant: textOf(state, 'device.variant'),
  features: [...state.features.keys()],
});

/** False where the device has the name that every device without one has. */
const isNamed = ({ device: { name, gateway, device } }: DeviceState): boolean => name !== `${gateway}-${device}`;

/** What devices are called in hubs: by their own names, else by model or role; what tells equal ones apart is decided once and kept. */
export const deviceNamesOf = (
  store: KeyedStore,
  states: ReadonlyMap<string, DeviceState>,
  language: Language,
  descriptionOf: (installation: string) => string | undefined = () => undefined,
) => {
  const kept = new Map<string, string>();

  /** Decides what tells the device from equal ones, and keeps it. To be called when its features are known. */
  const decide = (state: DeviceState): void => {
    const key = deviceKey(state.device);
    if (isNamed(state)) return;
    const distinction = distinctionOf(state);
    if (kept.get(key) === distinction) return;
    kept.set(key, distinction);
    store.write(keyOf(key), { distinction });
  };

  const titleOf = (state: DeviceState): DeviceTitle => {
    const { name } = state.device;
    if (isNamed(state)) return { shown: name, id: name };
    const described = describedBy(state);
    const [shown, id] = [deviceName(described, language), deviceName(described, 'en')];
    const distinction = distinctionOf(state);
    return { shown: distinguished(shown, distinction), id: distinguished(id, distinction) };
  };

  const peerOf = (state: DeviceState): Peer => {
    const { name, installation } = state.device;
    const key = deviceKey(state.device);
    const words = (descriptionOf(installation) ?? '').replace(/[\s\p{C}]+/gu, ' ').trim();
    const description = [...words].slice(0, LONGEST_DESCRIPTION).join('').trim();
    return isNamed(state)
      ? { key, description, base: name, kept: '' }
      : { key, description, base: deviceName(describedBy(state), 'en'), kept: kept.get(key) };
  };

  const distinctionOf = (state: DeviceState): string => {
    const peers = [...states.values()].map((other) => peerOf(other));
    return distinctionsOf(peers).get(deviceKey(state.device)) ?? '';
  };

  for (const [key, { distinction }] of keyedRows(store, KEPT))
    if (key.startsWith(keyOf(''))) kept.set(key.slice(keyOf('').length), distinction);

  return { decide, titleOf };
};

export type DeviceNames = ReturnType<typeof deviceNamesOf>;
