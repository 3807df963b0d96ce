import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFeature, recordOf } from '../../../src/features/parseFeature.ts';
import { arbitraryFeatures } from '../../support/devices/arbitraryFeatures.ts';
import { allRecords } from '../../support/devices/deviceFiles.ts';

const back = (raw: unknown): unknown => {
  const read = parseFeature(raw);
  if (!read.ok) return undefined;
  const { timestamp: _, issues: __, ...feature } = read.value;
  return feature;
};

test('what is kept of a record is read as the record was, but for its timestamp', () => {
  for (const { record } of allRecords()) {
    const read = parseFeature(record);
    if (read.ok) expect(back(JSON.parse(JSON.stringify(recordOf(read.value))))).toEqual(back(record));
  }
});

test('whatever a platform sends, what is kept of what is kept is the same', () => {
  fc.assert(
    fc.property(arbitraryFeatures, (features) => {
      for (const feature of features) {
        const once = parseFeature(JSON.parse(JSON.stringify(recordOf(feature))));
        if (once.ok) expect(back(JSON.parse(JSON.stringify(recordOf(once.value))))).toEqual(back(recordOf(once.value)));
      }
    }),
  );
});
