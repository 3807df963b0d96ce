import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';

const FOLDER = new URL('../../../../shared/recorded/', import.meta.url);

/** True where real devices' records are present; tests over them are skipped elsewhere. */
export const hasRecorded = existsSync(FOLDER);

/** Every recorded record of real devices, with the file it stands in. */
export const recordedRecords = (): { file: string; record: unknown }[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => (recordsOf(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))) ?? []).map((record) => ({ file, record })));

/** Every recorded feature, parsed. */
export const recordedFeatures = () =>
  recordedRecords().flatMap(({ record }) => {
    const feature = parseFeature(record);
    return feature.ok ? [feature.value] : [];
  });
