import type { Feature } from '../../../src/features/feature.ts';
import { type DeviceIdentity, deviceDocuments, deviceEntities, type Where } from '../../../src/homeassistant/document.ts';
import { pageComponents } from '../../../src/homeassistant/documents/components.ts';
import { withComponents } from '../../../src/homeassistant/documents/publishedDocument.ts';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import type { Message } from '../../../src/shared/message.ts';

const EVERYTHING: Offering = { language: 'en', profiles: [], isAllowed: () => true };

/** The document of a device with the entities of all its parts, for tests that look at entities. */
export const deviceDocument = (where: Where, device: DeviceIdentity, features: Iterable<Feature>, offering = EVERYTHING): Message => {
  const all = [...features];
  const [main] = deviceDocuments(where, device, all, offering);
  const { entities } = deviceEntities(where.base, device, all, offering);
  return { ...main, payload: withComponents(main.payload, Object.entries(pageComponents(entities, ({ name }) => name))) };
};
