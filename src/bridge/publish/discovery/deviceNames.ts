import * as z from 'zod/mini';
import type { DeviceTitle } from '../../../homeassistant/document.ts';
import type { Language } from '../../../language/language.ts';
import { type Described, deviceName, distinctionsOf, distinguished, type Peer } from '../../../language/names/deviceName.ts';
import type { KeyedStore } from '../../ports.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { keptValues } from '../../state/keptValues.ts';

const KEPT = z.object({ distinction: z.string() });

/** Users write free text, and every entity id begins with it. */
const LONGEST_DESCRIPTION = 60;

const describedBy = (state: DeviceState): Described => ({
  device: state.device.device,
  model: state.device.model,
  type: state.device.type,
  roles: state.device.roles,
  given: state.textOf('device.name', 'name') ?? state.textOf('device.name'),
  variant: state.textOf('device.variant', 'name') ?? state.textOf('device.variant'),
  features: [...state.features.keys()],
});

/** False if the device has only the default name. */
const isNamed = ({ device: { name, gateway, device } }: DeviceState): boolean => name !== `${gateway}-${device}`;

/** Device names in hubs: own name, else model or role. What distinguishes equal names is decided once. */
export const deviceNamesOf = (
  store: KeyedStore,
  states: ReadonlyMap<string, DeviceState>,
  language: Language,
  descriptionOf: (installation: string) => string | undefined,
) => {
  /** By device key, stored beside the documents. */
  const kept = keptValues(store, KEPT, 'name ');

  /** Decides how the device differs from equal ones, and keeps it. Call it when its features are known. */
  const decide = (state: DeviceState): void => {
    if (!isNamed(state)) kept.put(deviceKey(state.device), { distinction: distinctionOf(state) });
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
      : { key, description, base: deviceName(describedBy(state), 'en'), kept: kept.all.get(key)?.distinction };
  };

  const distinctionOf = (state: DeviceState): string => {
    const peers = [...states.values()].map((other) => peerOf(other));
    return distinctionsOf(peers).get(deviceKey(state.device)) ?? '';
  };

  return { decide, titleOf };
};

export type DeviceNames = ReturnType<typeof deviceNamesOf>;
