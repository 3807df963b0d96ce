import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { CodedError } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';

/** `no_backup`: the file is no backup, or damaged; `newer_backup`: it was made by a newer version. */
export class BackupError extends CodedError<'no_backup' | 'newer_backup'> {}

/** What a backup holds: texts by the name of their file in `data_dir`, and the database, where there was one. */
export type Backup = { readonly texts: Readonly<Record<string, string>>; readonly database?: Uint8Array | undefined };

const FORMAT = 'heating2mqtt-backup';
const VERSION = 1;
/** More than a database takes: one with 150 values kept for a year has 230 MB. A small file that gets larger than this when it is unpacked is no backup. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The texts in the first line have at most 1 MiB each. */
const MOST_HEAD_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

/** Writes a backup: compressed by gzip, a line of JSON, then the bytes of the database. */
export const writeBackup = ({ texts, database }: Backup, by: string, nowMs: number): Promise<Buffer> => {
  const head = { format: FORMAT, version: VERSION, made_at: new Date(nowMs).toISOString(), by, database: database !== undefined, texts };
  return promisify(gzip)(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...(database ? [database] : [])]));
};

export const noBackup = (why: string, cause?: unknown): BackupError =>
  new BackupError('no_backup', `This file is no backup of heating2mqtt, or is damaged: ${why}. Nothing was changed.`, { cause });

/** Reads a backup. `names` are those of texts that may be in it. Throws BackupError. */
export const readBackup = async (bytes: Uint8Array, names: readonly string[]): Promise<Backup> => {
  const plain = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }).catch((cause: unknown) => {
    throw noBackup('it cannot be unpacked', cause);
  });
  const end = plain.subarray(0, MOST_HEAD_BYTES).indexOf(NEWLINE);
  const { format, version, made_at, by, database, texts, ...others } = jsonObject(plain.toString('utf8', 0, Math.max(0, end))) ?? {};
  if (format !== FORMAT || typeof version !== 'number') throw noBackup('its first line does not say so');
  if (version > VERSION) throw newerBackup();
  const rest = plain.subarray(end + 1);
  const entries = typeof texts === 'object' && texts !== null ? Object.entries(texts) : undefined;
  const isKnown = ([name, text]: readonly [string, unknown]): boolean => names.includes(name) && typeof text === 'string';
  const isWhole = typeof made_at === 'string' && typeof by === 'string' && typeof database === 'boolean';
  if (!isWhole || !entries?.every(isKnown) || Object.keys(others).length > 0 || database !== rest.length > 0)
    throw noBackup('it has other parts than a backup');
  return { texts: Object.fromEntries(entries), ...(database ? { database: rest } : {}) };
};

export const newerBackup = (): BackupError =>
  new BackupError('newer_backup', 'This backup was made by a newer version of heating2mqtt: update this one first. Nothing was changed.');
