import { signal } from '@preact/signals';
import { LATE_MS, newId } from '../../api/write.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { ApiError, getJson, isLoggedOut, postJson } from './api.ts';
import { answers, revision } from './store.ts';

/**
 * The progress of a write. `unknown`: the connection broke before the answer, and the next state shows if the
 * write was sent; `late`: no final answer after a long time.
 */
type Phase = 'sending' | 'sent' | 'accepted' | 'done' | 'refused' | 'unknown' | 'late';

/** The last write to a topic. */
export type Write = {
  readonly id: string;
  /** The command topic. */
  readonly topic: string;
  /** The value that the page shows meanwhile. */
  readonly value: unknown;
  readonly phase: Phase;
  readonly answer?: Partial<Answer>;
};

/** By command topic. */
export const writes = signal<ReadonlyMap<string, Write>>(new Map());

const ASK_MS = 2000;
const MOST_ANSWERS = 200;
const NOT_SENT = { code: 'not_sent', message: 'the request did not reach the bridge' };
/** Successes are shown for this long. */
const SHOWN_MS = 8000;

const put = (write: Write): void => {
  writes.value = new Map(writes.value).set(write.topic, write);
};

/** Removes the outcome of a write from the page. */
export const dismiss = (topic: string): void => {
  const next = new Map(writes.value);
  if (next.delete(topic)) writes.value = next;
};

const isUnderWay = ({ phase }: Write): boolean => phase === 'sending' || phase === 'sent' || phase === 'accepted';

const byId = (id: unknown): Write | undefined => [...writes.value.values()].find((write) => write.id === id);

const PHASES: Readonly<Record<string, Phase>> = {
  accepted: 'accepted',
  waiting: 'done',
  applied: 'done',
  unchanged: 'done',
  valid: 'done',
  superseded: 'done',
  unconfirmed: 'done',
  rejected: 'refused',
  failed: 'refused',
} satisfies Readonly<Record<Answer['status'], Phase>>;

/** The phase of a write with this status; undefined for an unknown status. */
const phaseOf = (status: unknown): Phase | undefined =>
  typeof status === 'string' && Object.hasOwn(PHASES, status) ? PHASES[status] : undefined;

/** Takes an answer to a write of any client. Known answers are ignored. */
export const takeAnswer = (answer: Answer): void => {
  const isKnown = answers.value.some(
    ({ at, topic, status, id }) => at === answer.at && topic === answer.topic && status === answer.status && id === answer.id,
  );
  if (!isKnown) answers.value = [...answers.value, answer].slice(-MOST_ANSWERS);
  const write = byId(answer.id);
  if (!write || write.phase === 'done' || write.phase === 'refused') return;
  const phase = phaseOf(answer.status) ?? write.phase;
  put({ ...write, phase, answer });
  if (phase === 'done')
    setTimeout(() => {
      if (writes.value.get(write.topic)?.id === write.id) dismiss(write.topic);
    }, SHOWN_MS);
};

/** Asks until the bridge answers whether it has received a write. */
const findOut = async ({ topic, id }: Write): Promise<void> => {
  for (;;) {
    const last = writes.value.get(topic);
    if (last?.id !== id || last.phase !== 'unknown') return;
    try {
      const { taken } = await getJson('api/state', revision.value === undefined ? '' : `?since=${revision.value}`);
      const found = writes.value.get(topic);
      if (found?.id !== id || found.phase !== 'unknown') return;
      put(taken.includes(id) ? { ...found, phase: 'sent' } : { ...found, phase: 'refused', answer: NOT_SENT });
    } catch (error) {
      if (error instanceof ApiError) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    }
  }
};

/** Sends a value, in an envelope if it has an end; its outcome is in `writes`. `shown` until the heating has it. */
export const send = async (topic: string, value: unknown, end: object = {}, shown = value): Promise<void> => {
  const id = newId();
  const whole = Object.keys(end).length > 0 ? { value, ...end } : value;
  const payload = typeof whole === 'string' ? whole : JSON.stringify(whole);
  const write: Write = { id, topic, value: shown, phase: 'sending' };
  put(write);
  setTimeout(() => {
    const last = writes.value.get(topic);
    if (last?.id === id && isUnderWay(last)) put({ ...last, phase: 'late' });
  }, LATE_MS);
  const isCurrent = (): boolean => writes.value.get(topic)?.id === id;
  try {
    const answer = await postJson('api/write', { topic, payload, id });
    if (answer.status !== undefined) takeAnswer({ ...answer, id });
    else if (isCurrent() && writes.value.get(topic)?.phase === 'sending') put({ ...write, phase: 'sent' });
  } catch (error) {
    if (!isCurrent()) return;
    if (isLoggedOut(error)) put({ ...write, phase: 'refused', answer: NOT_SENT });
    else if (error instanceof ApiError) put({ ...write, phase: 'refused', answer: { code: error.code, message: error.message } });
    // The stream may have delivered the answer.
    else if (!answers.value.some((answer) => answer.id === id)) {
      put({ ...write, phase: 'unknown' });
      void findOut(write);
    }
  }
};

/** The value that a control shows: that of a write in progress, else the bridge's. */
export const shownOf = <T>(topic: string, value: T): T => {
  const write = writes.value.get(topic);
  return write && isUnderWay(write) ? (write.value as T) : value;
};
