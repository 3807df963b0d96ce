import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { systemCode } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import { readPlainFile } from '../shared/plainFile.ts';
import type { StateEnd } from './fleetStore.ts';

/** In the folder of an account: with which message of its state the folder is in step. */
const POSITION = 'fleet.json';
/** Of the id of a lease: enough to tell the owners of one account apart. */
const ID_CHARS = 8;

/** The owners that a state has been through, by generation, with the leases under which they had it; the newest last. */
export const line = z.array(z.tuple([z.number(), z.string()]));
export type Line = z.infer<typeof line>;

export const ownerIn = ({ generation, writer }: Pick<StateEnd, 'generation' | 'writer'>): Line[number] => {
  const [lease = ''] = writer.split(' ');
  return [generation, lease.slice(0, ID_CHARS)];
};

export const isOf = (line: Line, end: StateEnd): boolean => {
  const [generation, lease] = ownerIn(end);
  return line.some((owner) => owner[0] === generation && owner[1] === lease);
};

/** How many pieces the worker that has a lease has written under it. */
export const piecesOf = ({ writer }: Pick<StateEnd, 'writer'>): number => Number(writer.split(' ')[1]);

/** `pieces`: of the newest owner, where that is the one whose folder it is. */
const position = z.object({ generation: z.number(), last: z.number(), line, pieces: z.optional(z.number()) });
type Position = z.infer<typeof position>;

export const NOWHERE: Position = { generation: 0, last: 0, line: [] };

export const positionIn = (dir: string): Position => {
  try {
    return position.parse(jsonObject(readPlainFile(join(dir, POSITION), 10_000).toString('utf8')));
  } catch {
    return NOWHERE;
  }
};

export const notePosition = (dir: string, position: Position): void => {
  try {
    writeFileSync(join(dir, POSITION), JSON.stringify(position), { mode: 0o600 });
  } catch (cause) {
    // Without it, as after a power cut or on a full disk, the state is read from NATS.
    if (systemCode(cause) === undefined) throw cause;
  }
};

export const forgetPosition = (dir: string): void => {
  try {
    rmSync(join(dir, POSITION), { force: true });
  } catch (cause) {
    // As on a disk that takes no changes any more.
    if (systemCode(cause) === undefined) throw cause;
  }
};
