import { isRecord } from '../../shared/json.ts';
import { isStatus, type Status } from '../../topics/resultPayload.ts';

/** A change as the bridge keeps it. */
export type Change = {
  readonly key: number;
  readonly at: string;
  readonly device: string;
  readonly feature: string;
  readonly topic: string;
  readonly command: string;
  readonly by: { readonly kind: string; readonly user?: string };
  readonly until?: string;
  readonly status: Status;
  readonly code?: string;
  readonly message?: string;
  readonly differences: readonly Difference[];
  readonly undo: { readonly topic: string; readonly payload: string } | { readonly why: string };
};

/** A value before and after; of a week one of its days. */
export type Difference = { readonly property: string; readonly day?: string; readonly before: unknown; readonly after: unknown };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const optional = <K extends string>(key: K, value: unknown): { readonly [k in K]?: string } =>
  (typeof value === 'string' ? { [key]: value } : {}) as { readonly [k in K]?: string };

/** Changes as `api/change-history` answers them; what is none is left out. */
export const readChanges = (list: unknown): readonly Change[] =>
  (Array.isArray(list) ? list : []).flatMap((raw) => {
    if (!isRecord(raw) || typeof raw['key'] !== 'number' || !isStatus(raw['status'])) return [];
    const { key, at, device, feature, topic, command, by, status, undo } = raw;
    const { kind, user } = isRecord(by) ? by : {};
    const { topic: where, payload, why } = isRecord(undo) ? undo : {};
    return [
      {
        key,
        at: text(at),
        device: text(device),
        feature: text(feature),
        topic: text(topic),
        command: text(command),
        by: { kind: text(kind), ...optional('user', user) },
        ...optional('until', raw['until']),
        ...optional('code', raw['code']),
        ...optional('message', raw['message']),
        status,
        differences: differencesIn(raw['before'], raw['after']),
        undo: typeof where === 'string' && typeof payload === 'string' ? { topic: where, payload } : { why: text(why) },
      },
    ];
  });

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const differencesIn = (before: unknown, after: unknown): readonly Difference[] => {
  const [was, is] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  return Object.entries(is).flatMap(([property, value]): readonly Difference[] => {
    const former = was[property];
    const days = isRecord(value) ? Object.keys(value) : [];
    if (days.length === 0 || !days.every((day) => DAYS.includes(day))) return [{ property, before: former, after: value }];
    return DAYS.filter((day) => days.includes(day)).map((day) => ({
      property,
      day,
      before: isRecord(former) ? former[day] : undefined,
      after: isRecord(value) ? value[day] : undefined,
    }));
  });
};
