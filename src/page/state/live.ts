import { ALIVE_MS, type StreamEvents } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';
import { apiUrl, getJson, session } from './api.ts';
import { link, revision, takeLogLine, takeState, takeTopics } from './store.ts';
import { takeAnswer } from './writes.ts';

/** Without a first event in this time, a proxy buffers the stream. */
const HELLO_MS = 3000;
const POLL_MS = 5000;
/** While polling, the stream is retried after this many polls. */
const POLLS_BEFORE_STREAM = 24;
const SLOWEST_RETRY_MS = 30_000;
/** Power loss or a network change on a phone does not close the connection: only silence shows it. */
const SILENCE_MS = 3 * ALIVE_MS;
/** Without an answer in this time, the page no longer reports that all is well. */
const DOUBT_MS = 2000;

let stream: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;
let polls = 0;
let pulls = 0;
let isStarted = false;
/** Changes received within one animation frame. */
let waiting: [topic: string, payload: string | null][] = [];

const later = (run: () => void, ms: number): void => {
  clearTimeout(timer);
  timer = setTimeout(run, ms);
};

const since = (): string => (revision.value === undefined ? '' : `?since=${revision.value}`);

const closeStream = (): void => {
  stream?.close();
  stream = undefined;
};

/** Fetches the changes; true if the server answered. A later pull discards the answer of an earlier one. */
const pull = async (): Promise<boolean> => {
  pulls += 1;
  const number = pulls;
  try {
    const state = await getJson('api/state', since());
    if (number !== pulls) return false;
    // The answer has everything after the last event, but not the events that wait for a frame.
    showWaiting();
    takeState(state);
    for (const answer of state.results) takeAnswer(answer);
    failures = 0;
    return true;
  } catch {
    if (number !== pulls) return false;
    if (session.value?.login === 'needed') {
      stop();
      return false;
    }
    failures += 1;
    // A single failure may be a network change.
    if (failures > 1 || revision.value === undefined) link.value = 'lost';
    later(follow, Math.min(1000 * 2 ** Math.min(failures - 1, 6), SLOWEST_RETRY_MS));
    return false;
  }
};

/** Follows the bridge by its stream, else by polling. */
const follow = (): void => {
  if (!isStarted || document.hidden) return;
  closeStream();
  later(() => {
    if (link.value !== 'lost') link.value = 'connecting';
  }, DOUBT_MS);
  void pull().then((isAnswered) => {
    if (isAnswered && isStarted && !document.hidden) openStream();
  });
};

const poll = (): void => {
  if (!isStarted || document.hidden) return;
  polls += 1;
  if (polls % POLLS_BEFORE_STREAM === 0) {
    follow();
    return;
  }
  void pull().then((isAnswered) => {
    if (!isAnswered || !isStarted) return;
    link.value = 'polling';
    later(poll, POLL_MS);
  });
};

const startPolling = (): void => {
  closeStream();
  link.value = 'polling';
  later(poll, POLL_MS);
};

const openStream = (): void => {
  closeStream();
  const opened = new EventSource(apiUrl(`api/stream${since()}`));
  stream = opened;
  later(startPolling, HELLO_MS);
  const on = <E extends keyof StreamEvents>(name: E, take: (event: StreamEvents[E]) => void): void =>
    opened.addEventListener(name, ({ data }) => {
      const event = jsonObject(String(data));
      if (!event || stream !== opened) return;
      later(follow, SILENCE_MS);
      take(event as StreamEvents[E]);
      if (typeof event['rev'] === 'number') revision.value = event['rev'];
    });
  on('hello', () => {
    failures = 0;
    link.value = 'live';
  });
  on('alive', () => undefined);
  on('topic', ({ topic, payload }) => {
    if (waiting.length === 0) requestAnimationFrame(showWaiting);
    waiting.push([topic, payload]);
  });
  on('result', ({ answer }) => takeAnswer(answer));
  on('log', takeLogLine);
  on('reset', () => {
    revision.value = undefined;
    follow();
  });
  opened.onerror = () => {
    if (stream !== opened) return;
    closeStream();
    // `pull` detects whether the server is down or the session has ended.
    later(follow, 500 + Math.random() * 1000);
  };
};

const showWaiting = (): void => {
  const changed = waiting;
  waiting = [];
  takeTopics(changed);
};

/** Ends all requests; `start` resumes. */
const stop = (): void => {
  isStarted = false;
  clearTimeout(timer);
  closeStream();
};

/** Retries immediately. */
export const retryNow = (): void => {
  failures = 0;
  follow();
};

/** Follows the bridge while the page is visible: browsers allow six connections per server over all tabs. */
export const start = (): void => {
  if (isStarted) return;
  isStarted = true;
  revision.value = undefined;
  follow();
};

// A phone that is online again retries at once.
addEventListener('online', retryNow);

document.addEventListener('visibilitychange', () => {
  if (!isStarted) return;
  if (!document.hidden) retryNow();
  else {
    clearTimeout(timer);
    closeStream();
  }
});
