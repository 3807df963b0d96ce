import { batch, computed, signal } from '@preact/signals';
import { isRecord } from '../../shared/json.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { type Device, devicesOf, type Topics } from '../model/device.ts';
import type { Link } from '../model/health.ts';

export type LogLine = { readonly at: string; readonly level: string; readonly message: string };

/** The retained topics of the bridge, exactly as published. */
export const topics = signal<Topics>(new Map());
export const base = signal('heating2mqtt');
/** The last state that is known, for the question what changed since. */
export const revision = signal<number | undefined>();
export const version = signal('');
/** The machine of the bridge: system and Node. */
export const platform = signal('');
/** True when the bridge is of another version than the page. */
export const isStale = signal(false);
export const link = signal<Link>('connecting');
/** Oldest first. */
export const answers = signal<readonly Answer[]>([]);
export const logLines = signal<readonly LogLine[]>([]);
/** Follows the answers as they arrive. */
export const answerListeners = new Set<(answer: Answer) => void>();

/** Every device with its values. */
export const devices = computed<readonly Device[]>(() => devicesOf(topics.value, base.value));

/** True while the bridge has not yet told the broker all that it knows. */
export const isStarting = computed(() => topics.value.get(`${base.value}/bridge/state`) !== 'online');

const MOST_LINES = 200;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Takes an answer of `api/state`: the whole, or what changed. */
export const takeState = (state: Readonly<Record<string, unknown>>): void =>
  batch(() => {
    if (typeof state['rev'] === 'number') revision.value = state['rev'];
    if (typeof state['base'] === 'string') base.value = state['base'];
    if (typeof state['platform'] === 'string') platform.value = state['platform'];
    const found = text(state['version']);
    if (found !== '') {
      if (version.value !== '' && version.value !== found) isStale.value = true;
      else version.value = found;
    }
    const { topics: all, changed } = state;
    if (isRecord(all)) {
      topics.value = new Map(Object.entries(all).flatMap(([topic, payload]) => (typeof payload === 'string' ? [[topic, payload]] : [])));
      answers.value = [];
      logLines.value = [];
    }
    if (isRecord(changed)) takeTopics(Object.entries(changed));
    for (const answer of listOf(state['results'])) takeAnswer(answer);
    for (const line of listOf(state['log'])) takeLogLine(line);
  });

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Takes new payloads; null clears a topic. */
export const takeTopics = (changed: readonly (readonly [topic: string, payload: unknown])[]): void => {
  if (changed.length === 0) return;
  const next = new Map(topics.value);
  for (const [topic, payload] of changed)
    if (typeof payload === 'string' && payload !== '') next.set(topic, payload);
    else next.delete(topic);
  topics.value = next;
};

/** Takes an answer to a write of anyone; one that is known already is left out. */
export const takeAnswer = (raw: Readonly<Record<string, unknown>>): void => {
  if (typeof raw['topic'] !== 'string' || typeof raw['status'] !== 'string') return;
  const answer = raw as unknown as Answer;
  const isKnown = answers.value.some(
    ({ at, topic, status, id }) => at === answer.at && topic === answer.topic && status === answer.status && id === answer.id,
  );
  if (!isKnown) answers.value = [...answers.value, answer].slice(-MOST_LINES);
  for (const listener of answerListeners) listener(answer);
};

export const takeLogLine = ({ at, level, message }: Readonly<Record<string, unknown>>): void => {
  logLines.value = [...logLines.value, { at: text(at), level: text(level), message: text(message) }].slice(-MOST_LINES);
};
