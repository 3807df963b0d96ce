import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod/mini';
import { CodedError } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';

/** `no_backup`: not a backup, or damaged; `newer_backup`: made by a newer version. */
export class BackupError extends CodedError<'no_backup' | 'newer_backup'> {}

/** Texts by path in `data_dir`, the main database (if any), and databases of other accounts by path. */
export type Backup = {
  readonly texts: Readonly<Record<string, string>>;
  readonly database?: Uint8Array | undefined;
  readonly databases?: Readonly<Record<string, Uint8Array>>;
};

/** The paths that a backup may contain. */
type BackupPaths = { readonly isText: (path: string) => boolean; readonly isDatabase: (path: string) => boolean };

const FORMAT = 'heating2mqtt-backup';
const VERSION = 1;
/** Larger than any database (230 MB with 150 values for a year). Limits the unpacked size. */
const MOST_BYTES = 256 * 1024 * 1024;
/** A larger text could not be read at the next start. */
const MOST_TEXT_BYTES = 1024 * 1024;
const MOST_HEAD_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

const HEAD = z.strictObject({
  ...{ format: z.string(), version: z.number(), made_at: z.string(), by: z.string(), database: z.boolean() },
  databases: z.optional(z.record(z.string(), z.int().check(z.positive()))),
  texts: z.record(z.string(), z.string()),
});

/**
 * Writes a backup: gzip over a JSON line, the database, and the databases of other accounts (sizes are in the
 * line). Throws an Error if it exceeds the maximum size.
 */
export const writeBackup = ({ texts, database, databases = {} }: Backup, by: string, nowMs: number): Promise<Buffer> => {
  const sizes = Object.fromEntries(Object.entries(databases).map(([path, bytes]) => [path, bytes.length]));
  const more = Object.keys(sizes).length === 0 ? {} : { databases: sizes };
  const head = {
    format: FORMAT,
    version: VERSION,
    made_at: new Date(nowMs).toISOString(),
    by,
    database: database !== undefined,
    ...more,
    texts,
  };
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  const parts = [line, ...(database ? [database] : []), ...Object.values(databases)];
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (line.length > MOST_HEAD_BYTES || size > MOST_BYTES)
    throw new Error(`the data is too large for one file (${Math.ceil(size / 2 ** 20)} MiB); stop heating2mqtt and copy the folder`);
  return promisify(gzip)(Buffer.concat(parts));
};

export const noBackup = (why: string, cause?: unknown): BackupError =>
  new BackupError('no_backup', `This file is not a backup of heating2mqtt, or it is damaged: ${why}. Nothing was changed.`, { cause });

/** Reads a backup. Throws BackupError. */
export const readBackup = async (bytes: Uint8Array, { isText, isDatabase }: BackupPaths): Promise<Backup> => {
  const plain = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }).catch((cause: unknown) => {
    throw noBackup('it cannot be unpacked', cause);
  });
  const end = plain.subarray(0, MOST_HEAD_BYTES).indexOf(NEWLINE);
  const first = jsonObject(plain.toString('utf8', 0, Math.max(0, end))) ?? {};
  if (first['format'] !== FORMAT || typeof first['version'] !== 'number') throw noBackup('its first line is not that of a backup');
  if (first['version'] > VERSION) throw newerBackup();
  const head = HEAD.safeParse(first).data;
  const sizes = Object.entries(head?.databases ?? {});
  const all = plain.subarray(end + 1);
  const rest = all.subarray(0, Math.max(0, all.length - sizes.reduce((sum, [, size]) => sum + size, 0)));
  const isKnown = ([name, text]: readonly [string, string]): boolean => isText(name) && Buffer.byteLength(text) <= MOST_TEXT_BYTES;
  const isWhole = head && Object.entries(head.texts).every(isKnown) && sizes.every(([path]) => isDatabase(path));
  if (!isWhole || head.database !== rest.length > 0) throw noBackup('it has other parts than a backup');
  let from = rest.length;
  const found = sizes.map(([path, size]) => {
    from += size;
    return [path, all.subarray(from - size, from)] as const;
  });
  if (from !== all.length) throw noBackup('it is incomplete');
  return { texts: head.texts, ...(head.database ? { database: rest } : {}), databases: Object.fromEntries(found) };
};

export const newerBackup = (): BackupError =>
  new BackupError(
    'newer_backup',
    'This backup was made by a newer version of heating2mqtt: update heating2mqtt first. Nothing was changed.',
  );
