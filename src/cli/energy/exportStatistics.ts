import { pastSeries } from '../../bridge/state/energy/past.ts';
import type { Settings } from '../../config/settings.ts';
import { PAST_FORMATS, type PastFormat } from '../../features/energy/pastFiles.ts';
import { UsageError } from '../../shared/errors.ts';
import { readBeside } from '../../storage/openDatabase.ts';
import { text, type Values } from '../command.ts';
import type { Io } from '../terminal/io.ts';

const isFormat = (text: string): text is PastFormat => Object.hasOwn(PAST_FORMATS, text);

/**
 * `heating2mqtt export statistics`: the consumption before the bridge counted, as a file on standard output.
 * No call, no broker. Exit code 1 if nothing is stored, or nothing for the device.
 */
export const exportStatistics = (
  { data_dir, language }: Pick<Settings, 'data_dir' | 'language'>,
  values: Values,
  io: Pick<Io, 'out' | 'err'>,
): number => {
  const [format = 'csv', device] = ['format', 'device'].map((name) => text(values, name));
  if (!isFormat(format)) throw new UsageError('usage', `--format ${format} is unknown; allowed: ${Object.keys(PAST_FORMATS).join(', ')}`);
  const rows = readBeside(data_dir, 'past');
  const all = pastSeries({ read: () => rows }, language);
  const series = all.filter((one) => device === undefined || one.device === device);
  if (series.length === 0) {
    const [of, others] = [device === undefined ? '' : ` of ${device}`, [...new Set(all.map((one) => one.device))].join(', ')];
    const why = others === '' ? 'its devices report none, or were not read yet' : `data of ${others} exist`;
    io.err(`${data_dir} contains no data${of} of the time before the bridge was installed: ${why}.`);
    return 1;
  }
  io.out(PAST_FORMATS[format](series).trimEnd());
  return 0;
};
