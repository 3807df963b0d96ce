import { schedulePropertyOf } from '../../topics/featureState.ts';
import { featureTopic, propertyTopic } from '../../topics/topicNames.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { CompositePlace, Composites } from '../publishing/composites.ts';
import type { FeatureAddress, Whom } from './command.ts';
import { type Place, placeOf } from './parseCommand.ts';

/** A part of a composite, as the place of a message. */
export type Composed = CompositePlace & { readonly is: 'composite' };

export type AddresseeParts = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly composites: Composites;
};

/** What an address means on a device. A real feature wins over a composite of its name. */
export const placeOn = (
  { composites }: Pick<AddresseeParts, 'composites'>,
  state: DeviceState,
  address: FeatureAddress,
): Place | Composed => {
  const place = placeOf(state, address);
  if (place.is === 'unread' || (place.is === 'known' && (place.leaf === undefined || place.feature.properties.has(place.leaf))))
    return place;
  const part = composites.find(state, address);
  if (part) return { is: 'composite', ...part };
  const refusal = composites.near(state, address);
  return refusal ? { is: 'unknown', refusal } : place;
};

/** Whom a message is for: names for the answer, and the state topic that shows what it writes. */
export const whomOf = (parts: AddresseeParts, address: FeatureAddress): Whom => {
  const { base, states } = parts;
  const state = [...states.values()].find(({ device }) => device.name === address.device);
  if (!state) return { device: address.device, feature: address.path.join('.') };
  const device = state.device.name;
  const place = placeOn(parts, state, address);
  if (place.is === 'composite') {
    const { composite, part } = place;
    return { state, device, feature: composite, shows: featureTopic(base, device, composite, part) };
  }
  const feature = place.is === 'known' ? place.feature.name : place.is === 'unread' ? place.name : address.path.join('.');
  const whom = { state, device, feature };
  if (place.is !== 'known' || address.to !== 'set') return whom;
  const { leaf } = place;
  if (leaf !== undefined && leaf !== 'entries' && leaf !== 'undo') return { ...whom, shows: propertyTopic(base, device, feature, leaf) };
  return schedulePropertyOf(place.feature) === undefined ? whom : { ...whom, shows: featureTopic(base, device, feature, 'entries') };
};
