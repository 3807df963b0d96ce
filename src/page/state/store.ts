import { batch, computed, signal } from '@preact/signals';
import type { LogLine, StateSince, WholeState } from '../../api/answers.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { type Device, devicesOf, type Topics } from '../model/device.ts';
import type { Link } from '../model/health.ts';

/** The retained topics of the bridge, exactly as published. */
export const topics = signal<Topics>(new Map());
export const base = signal('heating2mqtt');
/** The last known revision, for queries of later changes. */
export const revision = signal<number | undefined>();
export const version = signal('');
/** A newer version than the bridge's, if known. */
export const newer = signal<string | undefined>();
/** The bridge's operating system and Node version. */
export const platform = signal('');
/** True if the bridge and the page have different versions. */
export const isStale = signal(false);
export const link = signal<Link>('connecting');
/** Oldest first. */
export const answers = signal<readonly Answer[]>([]);
export const logLines = signal<readonly LogLine[]>([]);

/** Every device with its values. */
export const devices = computed<readonly Device[]>(() => devicesOf(topics.value, base.value));

/** The home's time zone: all times agree even on a remote device. Unknown without devices. */
export const homeZone = computed<string | undefined>(() => devices.value[0]?.zone);

/** The time zone of the device with this name; undefined if it is not shown. */
export const zoneOf = (device: string | undefined): string | undefined => devices.value.find(({ name }) => name === device)?.zone;

/** True while the bridge has not yet published all known values. */
export const isStarting = computed(() => topics.value.get(`${base.value}/bridge/state`) !== 'online');

const MOST_LINES = 200;

/** Applies an answer of `api/state`: the whole state, or the changes. */
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

/** Applies new payloads; null clears a topic. */
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
