import type { GetAnswers } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import type { Streams } from '../live/streams.ts';
import { get, ok, type Route, refused } from '../routes.ts';

const numberOf = (text: string | null | undefined): number | undefined => (text && /^\d{1,16}$/.test(text) ? Number(text) : undefined);

const FULL = refused(503, 'too_many_streams', 'Too many pages are open at the same time; request api/state instead.', {
  headers: { 'retry-after': '30' },
});

// Proxies must neither buffer nor compress it (docs/web-access.md).
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The retained topics: state, changes, change times, stream. `newerVersion`: if known and allowed. */
export const stateRoutes = (state: LiveState, streams: Streams, newerVersion: () => string | undefined): readonly Route[] => [
  get('api/state', ({ query }) => {
    const since = numberOf(query.get('since'));
    const changed = since === undefined ? undefined : state.since(since);
    const newer = newerVersion();
    return ok<GetAnswers['api/state']>(changed ?? { ...state.whole(), newer });
  }),
  get('api/changes', () => ok<GetAnswers['api/changes']>({ changed_at: state.changes() })),
  get('api/stream', ({ query, headers, session }) => {
    if (streams.isFull) return FULL;
    // A browser that reconnects by itself sends the id of its last event.
    const last = headers['last-event-id'];
    const since = numberOf(typeof last === 'string' ? last : undefined) ?? numberOf(query.get('since'));
    return { status: 200, headers: STREAM_HEADERS, stream: (response) => streams.add(response, since, session) };
  }),
];
