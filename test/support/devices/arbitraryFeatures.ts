import fc from 'fast-check';
import type { Feature } from '../../../src/features/feature.ts';
import { anyText } from '../anyText.ts';
import { featureOf } from './features.ts';

const name = fc.oneof(
  fc.constantFrom('heating', 'circuits', '0', 'sensors', 'temperature', 'value', 'Value', 'entries', 'now', 'schedule', 'summary', 'unit'),
  fc.constantFrom('__proto__', 'constructor', ''),
  anyText({ maxLength: 6 }),
);

const property = fc.record(
  {
    type: fc.constantFrom('boolean', 'number', 'string', 'array', 'object', 'Schedule', 'DeviceList', 'constructor'),
    unit: fc.oneof(fc.constantFrom('', 'celsius', 'kilowattHour', 'cubicMeter', '__proto__'), anyText()),
    value: fc.oneof(fc.jsonValue(), fc.boolean(), fc.double({ noNaN: true }), fc.string()),
  },
  { requiredKeys: ['type'] },
);

const feature: fc.Arbitrary<Feature> = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 6 }), fc.array(fc.tuple(name, property), { maxLength: 6 }), fc.boolean())
  .map(([levels, properties, deprecated]) => ({
    ...featureOf(levels.join('.'), {}, deprecated ? { deprecated: {} } : {}),
    // fast-check's type of any JSON has arrays that could be written to; the value is the same.
    properties: new Map(properties) as Feature['properties'],
  }));

/** Features as no platform should send them: names, types, units and values of any kind; the feature names differ. */
export const arbitraryFeatures: fc.Arbitrary<Feature[]> = fc.uniqueArray(feature, { maxLength: 12, selector: ({ name: own }) => own });
