import { ALIVE_MS, type StreamEvents } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';
import { apiUrl, getJson, session } from './api.ts';
import { link, revision, takeLogLine, takeState, takeTopics } from './store.ts';
import { takeAnswer } from './writes.ts';

/** Without a first event in this time something between holds the stream back. */
const HELLO_MS = 3000;
const POLL_MS = 5000;
/** While polling, the stream is tried again. */
const POLLS_BEFORE_STREAM = 24;
const SLOWEST_RETRY_MS = 30_000;
/** A machine without power, or a phone in another network: nothing ends such a connection, so only its silence tells. */
const SILENCE_MS = 3 * ALIVE_MS;
/** Without an answer in this time the page does not say any more that all is well. */
const DOUBT_MS = 2000;

let stream: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;
let polls = 0;
let pulls = 0;
let isStarted = false;
/** Changes that came within one frame of the screen. */
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

/** Fetches what changed; true if the server answered. A later pull makes the answer of an earlier one void. */
const pull = async (): Promise<boolean> => {
  pulls += 1;
  const number = pulls;
  try {
    const state = await getJson('api/state', since());
    if (number !== pulls) return false;
    // It holds what came after the last event, and no event that still waits for a frame.
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
    // One failure alone can be a change of the network.
    if (failures > 1 || revision.value === undefined) link.value = 'lost';
    later(follow, Math.min(1000 * 2 ** Math.min(failures - 1, 6), SLOWEST_RETRY_MS));
    return false;
  }
};

/** Follows the bridge: by its stream, else by asking. */
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
    // `pull` finds out whether the server is away, or the session has ended.
    later(follow, 500 + Math.random() * 1000);
  };
};

const showWaiting = (): void => {
  const changed = waiting;
  waiting = [];
  takeTopics(changed);
};

/** Ends all requests; `start` begins again. */
const stop = (): void => {
  isStarted = false;
  clearTimeout(timer);
  closeStream();
};

/** Tries at once, where the next try would come later. */
export const retryNow = (): void => {
  failures = 0;
  follow();
};

/** Begins to follow the bridge, and pauses while nobody sees the page: browsers allow six connections to a server over all tabs. */
export const start = (): void => {
  if (isStarted) return;
  isStarted = true;
  revision.value = undefined;
  follow();
};

// A phone that has a network again does not wait for the next try.
addEventListener('online', retryNow);

document.addEventListener('visibilitychange', () => {
  if (!isStarted) return;
  if (!document.hidden) retryNow();
  else {
    clearTimeout(timer);
    closeStream();
  }
});
