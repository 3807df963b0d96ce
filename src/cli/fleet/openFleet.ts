import { readBytes } from '../../config/file.ts';
import { type FleetStore, openFleetStore } from '../../fleet/fleetStore.ts';
import { sealWith } from '../../fleet/seal.ts';
import { UsageError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { text, type Values } from '../command.ts';
import type { Io } from '../terminal/io.ts';

/** Opens the fleet named by the options and the environment. Throws a UsageError. */
export const openFleet = async (values: Values, { env }: Pick<Io, 'env'>, log: Log): Promise<FleetStore> => {
  const urls = text(values, 'nats') ?? env['HEATING2MQTT_NATS'];
  if (!urls)
    throw new UsageError('usage', 'The address of NATS is missing: --nats nats://host:4222, or HEATING2MQTT_NATS in the environment.');
  return openFleetStore(urls, sealWith(keyIn(text(values, 'key-file'), env['HEATING2MQTT_FLEET_KEY'])), log);
};

const keyIn = (file: string | undefined, inEnvironment: string | undefined): string => {
  if (file === undefined && !inEnvironment)
    throw new UsageError(
      'usage',
      'A fleet needs a key: --key-file FILE, or HEATING2MQTT_FLEET_KEY. Make one with "openssl rand -base64 32".',
    );
  if (file === undefined) return (inEnvironment ?? '').trim();
  const bytes = readBytes(file);
  if (typeof bytes === 'string') throw new UsageError('file_unreadable', `--key-file: ${file} cannot be read (${bytes})`);
  return bytes.toString('utf8').trim();
};
