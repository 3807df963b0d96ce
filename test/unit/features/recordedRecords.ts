import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';
import { RECORDED } from '../../support/devices/recordedDevices.ts';

/** Every recorded record of real devices, with the file it stands in. */
export const recordedRecords = (): { file: string; record: unknown }[] =>
  readdirSync(RECORDED)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => (recordsOf(JSON.parse(readFileSync(path.join(RECORDED, file), 'utf8'))) ?? []).map((record) => ({ file, record })));

/** Every recorded feature, parsed. */
export const recordedFeatures = () =>
  recordedRecords().flatMap(({ record }) => {
    const feature = parseFeature(record);
    return feature.ok ? [feature.value] : [];
  });
