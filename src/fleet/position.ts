import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { systemCode } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import { readPlainFile } from '../shared/plainFile.ts';
import type { StateEnd } from './fleetStore.ts';

/** In the account folder: the last message of the state that the folder contains. */
const POSITION = 'fleet.json';
/** The length of the lease id prefix, enough to distinguish the owners of one account. */
const ID_CHARS = 8;

/** The owners of a state in order: their generations and leases, the newest last. */
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

/** How many pieces the owner of the lease has written under it. */
export const piecesOf = ({ writer }: Pick<StateEnd, 'writer'>): number => Number(writer.split(' ')[1]);

/** `pieces`: of the newest owner, if the folder is that owner's. */
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
    // Without this file (power cut, full disk) the state is read from NATS.
    if (systemCode(cause) === undefined) throw cause;
  }
};

export const forgetPosition = (dir: string): void => {
  try {
    rmSync(join(dir, POSITION), { force: true });
  } catch (cause) {
    // For example on a disk that refuses changes.
    if (systemCode(cause) === undefined) throw cause;
  }
};
