import type { CallReport, GetAnswers, TopicHistory } from '../../api/answers.ts';
import type { BridgeView } from '../../bridge/bridgeView.ts';
import { type Clock, DAY_MS } from '../../shared/clock.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, ok, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';

const YEAR_MS = 366 * DAY_MS;
/** The maximum of changes in one answer. */
const MOST_CHANGES = 50;

/** Requests to the running bridge, beside its topics. */
export const bridgeReads = (state: LiveState, clock: Clock): readonly Route[] => {
  const read = (path: keyof GetAnswers, handle: (view: BridgeView, request: WebRequest) => WebAnswer): Route =>
    get(path, ofBridge(state, handle));
  return [
    // The calls of the last 24 hours by cause, and the current report of `bridge/quota`.
    read('api/calls', ({ reports }) => ok<CallReport>({ ...reports.quota(), ...reports.calls() })),

    // The past values of a topic.
    read('api/history', ({ series }, { query }) => {
      const topic = query.get('topic') ?? '';
      const kept = series.days;
      const asked = Number(query.get('days') ?? kept);
      if (topic === '' || !(asked >= 0)) return refused(400, 'bad_request', 'topic and days (a number) are required.');
      const now = clock.now();
      const since = now - Math.min(asked, kept) * DAY_MS;
      // Later values predate a clock correction. The value valid at the start is shown from the start on.
      const known = series.of(topic, since).filter(({ at }) => at <= now);
      const points = known.map(({ at, value }) => [Math.max(at, since), value] as const);
      return ok<TopicHistory>({ topic, kept, since, now, points });
    }),

    // The faults reported by each device in the last year, newest first.
    read('api/faults', (view) => {
      const faults = view.faults.devices(clock.now() - YEAR_MS).map(({ name, tells, lives }) => ({
        device: name,
        tells,
        faults: lives.map(({ code, kind, text, since, until, clock: own }) => ({ code, kind, text, since, until, clock: own })),
      }));
      return ok<GetAnswers['api/faults']>({ faults });
    }),

    // The performance of a device by day. A device without data has no rows.
    read('api/performance', ({ performance }, { query }) => {
      const device = query.get('device') ?? '';
      if (device === '') return refused(400, 'bad_request', 'device is required: its name in topics.');
      return ok<GetAnswers['api/performance']>({ ...performance.named(device), prices: performance.prices });
    }),

    // The changes made through the bridge in the last year, newest first.
    read('api/change-history', ({ changes }, { query }) => {
      const [before, device, feature] = ['before', 'device', 'feature'].map((name) => query.get(name) ?? undefined);
      if (before !== undefined && !/^\d{1,15}$/u.test(before)) return refused(422, 'invalid', 'before must be the key of a change.');
      if (feature !== undefined && device === undefined) return refused(422, 'invalid', 'feature also needs device.');
      const which = {
        ...(before === undefined ? {} : { before: Number(before) }),
        ...(device === undefined ? {} : { device }),
        ...(feature === undefined ? {} : { feature }),
      };
      const found = changes.newest(which, MOST_CHANGES + 1);
      const undo = device === undefined || feature === undefined ? [] : changes.undoOf(device, feature);
      return ok<GetAnswers['api/change-history']>({ changes: found.slice(0, MOST_CHANGES), more: found.length > MOST_CHANGES, undo });
    }),
  ];
};
