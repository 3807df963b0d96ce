import type { Feature } from '../../features/feature.ts';
import { type Failure, failureOf } from '../../shared/failures.ts';
import type { Checked } from '../../shared/issue.ts';
import type { Log } from '../../shared/log.ts';
import { type Device, deviceKey } from '../state/deviceState.ts';
import { type ReadTarget, readKey } from '../state/readTarget.ts';

/** The maximum of record problems that are logged and remembered. */
const MOST_LOGGED = 200;

/** The scope of a failure: it is logged once for all reads of this scope. */
const scopesOf = ({ device, target }: ReadTarget): Readonly<Record<Failure['scope'], string>> => ({
  platform: 'platform',
  gateway: device.gateway,
  device: deviceKey(device),
  read: readKey(target),
});

const factsOf = ({ device, target }: ReadTarget): object => ({ device: device.name, feature: target.feature });

/** Logs once when reads begin to fail and once when they recover, for all codes; also record errors. */
export const readLog = (log: Log) => {
  /** By read: the scopes of its failures since it last worked. */
  const metBy = new Map<string, Set<string>>();
  const failing = new Set<string>();
  const malformed = new Set<string>();
  const contradictory = new Set<string>();

  const failed = (read: ReadTarget, code: string, why: string): void => {
    const { log: level, scope } = failureOf(code);
    if (level === 'none') return;
    const key = readKey(read.target);
    const place = `${scopesOf(read)[scope]} ${code}`;
    const met = metBy.get(key) ?? new Set<string>();
    metBy.set(key, met);
    const isNews = !met.has(place) && !failing.has(place);
    met.add(place);
    if (!isNews) return;
    failing.add(place);
    log[level]({ ...factsOf(read), code, why }, 'reading failed; the last values are kept');
  };

  const worked = (read: ReadTarget): void => {
    const key = readKey(read.target);
    const over = [...(metBy.get(key) ?? [])].filter((place) => failing.delete(place));
    metBy.delete(key);
    if (over.length > 0) log.info(factsOf(read), 'reading works again');
  };

  /** A record was parsed. If it becomes malformed again after it was valid, it is logged again. */
  const parsed = (device: Device, name: string, record: Checked<Feature>): void => {
    // The common case: no problem now and none before.
    if (malformed.size === 0 && record.ok && !record.value.issues && !record.value.contradictions) return;
    const issues = record.ok ? (record.value.issues ?? []) : record.issues;
    const why = issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const key = `${deviceKey(device)} ${name}`;
    if (!why) malformed.delete(key);
    else if (!malformed.has(key) && malformed.size < MOST_LOGGED) {
      malformed.add(key);
      const sentence = record.ok ? 'a part of a record is invalid and is ignored' : 'a record is invalid and is ignored';
      const more = malformed.size === MOST_LOGGED ? '; further ones are not logged' : '';
      log.warn({ device: device.name, feature: name, why: why.slice(0, 500) }, sentence + more);
    }
    if (record.ok) contradicts(device, record.value);
  };

  /** Each contradiction is logged only once: a value that contradicts its type at times would repeat it. */
  const contradicts = (device: Device, { name, contradictions = [] }: Feature): void => {
    for (const { path, message } of contradictions) {
      const key = `${deviceKey(device)} ${name} ${path}`;
      if (contradictory.has(key) || contradictory.size >= MOST_LOGGED) continue;
      contradictory.add(key);
      log.warn(
        { device: device.name, feature: name, why: `${path} ${message}`.slice(0, 500) },
        'the type of a value differs from the type that the platform declares; the value is published unchanged',
      );
    }
  };

  return { failed, worked, parsed };
};
