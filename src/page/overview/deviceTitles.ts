import type { Language } from '../../language/language.ts';
import { deviceName, distinctionsOf, distinguished } from '../../language/names/deviceName.ts';
import { jsonObject } from '../../shared/json.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import { type Device, type Topics, textAt } from '../model/device.ts';

/**
 * The display names of devices, by their names in topics: the name from the settings, else the name used by
 * hubs (vendor app, product or kind).
 */
export const titlesOf = (topics: Topics, base: string, devices: readonly Device[], language: Language): ReadonlyMap<string, string> => {
  const described = devices.map((device) => {
    const info = jsonObject(topics.get(deviceTopic(base, device.name, 'info')) ?? '') ?? {};
    const text = (key: string): string | undefined => (typeof info[key] === 'string' ? info[key] : undefined);
    const isNamed = device.name !== `${text('gateway')}-${text('device')}`;
    const of = {
      device: text('device') ?? '',
      model: text('model'),
      type: text('type'),
      roles: Array.isArray(info['roles']) ? info['roles'].filter((role) => typeof role === 'string') : [],
      given: textAt(device, 'device.name', 'name') ?? textAt(device, 'device.name'),
      variant: textAt(device, 'device.variant'),
      features: [...device.features.keys()],
    };
    return { key: device.name, title: isNamed ? device.name : deviceName(of, language), isNamed };
  });
  const distinctions = distinctionsOf(
    described.map(({ key, title, isNamed }) => ({ key, base: title, description: '', kept: isNamed ? '' : undefined })),
  );
  return new Map(described.map(({ key, title }) => [key, distinguished(title, distinctions.get(key) ?? '')]));
};
