import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod/mini';
import type { GetAnswers, Release } from '../../api/answers.ts';
import { type Clock, DAY_MS, HOUR_MS } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { VERSION } from '../../shared/version.ts';
import { get, ok, type Route } from '../routes.ts';

const REPOSITORY = 'https://github.com/heating2mqtt/heating2mqtt';
const NEWEST = 'https://api.github.com/repos/heating2mqtt/heating2mqtt/releases/latest';
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 262_144;
const LONGEST_NOTES = 20_000;

const RELEASE = z.object({ tag_name: z.string().check(z.regex(/^v?\d{1,6}\.\d{1,6}\.\d{1,6}$/)), body: z.catch(z.string(), '') });

const numbersOf = (version: string): readonly number[] => version.split(/[.+-]/, 3).map(Number);

/** True if `version` is later than `other`, also as its final release (1.2.0 after 1.2.0-beta.1). */
export const isNewer = (version: string, other: string): boolean => {
  const [a, b] = [numbersOf(version), numbersOf(other)];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? other.includes('-') : (a[at] ?? 0) > (b[at] ?? 0);
};

/** GETs a text without cookies or tokens. Rejects if there is none or it is too large. */
const textAt = (address: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'application/vnd.github+json', 'user-agent': 'heating2mqtt' };
    const get = address.startsWith('https:') ? getHttps : getHttp;
    const asked = get(address, { headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) response.destroy(new Error('the answer is too long'));
      });
      buffer(response).then((body) => {
        if (response.statusCode === 200) resolve(body.toString('utf8'));
        else reject(new Error(`status ${response.statusCode}`));
      }, reject);
    });
    asked.once('error', reject);
  });

/** Asks GitHub for the newest release once a day (after a failure hourly), only while the page is in use. */
export const makeReleases = (clock: Clock, log: Log, address = NEWEST) => {
  let dueMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> = Promise.resolve();
  let newer: Release | undefined;

  /** Resolves when the request has ended; never rejects. */
  const look = (): Promise<void> => {
    const now = clock.elapsedMs();
    if (now >= dueMs) {
      dueMs = now + DAY_MS;
      asking = ask().catch((cause) => {
        dueMs = now + HOUR_MS;
        log.debug({ why: messageOf(cause) }, 'the check for a newer version failed');
      });
    }
    return asking;
  };

  const ask = async (): Promise<void> => {
    const { tag_name: tag, body } = RELEASE.parse(jsonObject(await textAt(address)));
    const version = tag.replace(/^v/, '');
    const notes = body.slice(0, LONGEST_NOTES);
    newer = isNewer(version, VERSION) ? { version, notes, address: `${REPOSITORY}/releases/tag/${tag}` } : undefined;
  };

  return {
    /** The newer version, if one is known. */
    get newer(): Release | undefined {
      return newer;
    },
    look,
  };
};

export type Releases = ReturnType<typeof makeReleases>;

/** Reports a newer version with its notes. `asks`: whether GitHub may be asked. */
export const releaseRoutes = (releases: Releases, asks: () => GetAnswers['api/release']['asks']): readonly Route[] => [
  get('api/release', async () => {
    if (asks() === 'on') await releases.look();
    return ok<GetAnswers['api/release']>({ version: VERSION, asks: asks(), newer: releases.newer });
  }),
];
