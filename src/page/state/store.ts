import { batch, computed, signal } from '@preact/signals';
import type { LogLine, StateSince, WholeState } from '../../api/answers.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { type Device, devicesOf, type Topics } from '../model/device.ts';
import type { Link } from '../model/health.ts';

/** The retained topics of the bridge, exactly as published. */
export const topics = signal<Topics>(new Map());
export const base = signal('heating2mqtt');
/** The last state that is known, for the question what changed since. */
export const revision = signal<number | undefined>();
export const version = signal('');
/** A version that is newer than that of the bridge, where that is known. */
export const newer = signal<string | undefined>();
/** The machine of the bridge: system and Node. */
export const platform = signal('');
/** True when the bridge is of another version than the page. */
export const isStale = signal(false);
export const link = signal<Link>('connecting');
/** Oldest first. */
export const answers = signal<readonly Answer[]>([]);
export const logLines = signal<readonly LogLine[]>([]);

/** Every device with its values. */
export const devices = computed<readonly Device[]>(() => devicesOf(topics.value, base.value));

/** The time zone of the device with this name; undefined where it is not shown. */
export const zoneOf = (device: string | undefined): string | undefined => devices.value.find(({ name }) => name === device)?.zone;

/** True while the bridge has not yet told the broker all that it knows. */
export const isStarting = computed(() => topics.value.get(`${base.value}/bridge/state`) !== 'online');

const MOST_LINES = 200;

/** Takes an answer of `api/state`: the whole, or what changed. */
export const takeState = (state: WholeState | StateSince): void =>
  batch(() => {
    revision.value = state.rev;
    if ('topics' in state) {
      base.value = state.base;
      platform.value = state.platform;
      newer.value = state.newer;
      if (version.value !== '' && version.value !== state.version) isStale.value = true;
      else version.value = state.version;
      topics.value = new Map(Object.entries(state.topics));
      answers.value = [];
      logLines.value = [];
    } else takeTopics(Object.entries(state.changed));
    for (const line of state.log) takeLogLine(line);
  });

/** Takes new payloads; null clears a topic. */
export const takeTopics = (changed: readonly (readonly [topic: string, payload: string | null])[]): void => {
  if (changed.length === 0) return;
  const next = new Map(topics.value);
  for (const [topic, payload] of changed)
    if (payload) next.set(topic, payload);
    else next.delete(topic);
  topics.value = next;
};

export const takeLogLine = (line: LogLine): void => {
  logLines.value = [...logLines.value, line].slice(-MOST_LINES);
};
