import '../../editor/main.ts';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Answer, EditorEvents, Now, Target } from '../../editor/types.ts';
import type { WeekEditorElement } from '../../editor/weekEditorElement.tsx';
import { localInstant, localNow } from '../../schedule/shown/localNow.ts';
import type { Week } from '../../schedule/week.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { reasonOf } from '../model/outcome.ts';
import { profilesOf } from '../model/profiles.ts';
import type { Place } from '../model/schedules.ts';
import { localTimes } from '../shell/format.ts';
import { mayLeave } from '../shell/route.ts';
import { rule, words } from '../shell/words.ts';
import { language, theme } from '../state/preferences.ts';
import { base, topics } from '../state/store.ts';
import { now } from '../state/time.ts';
import { send, type Write, writes } from '../state/writes.ts';
import { scheduleName } from './names.ts';
import { saveProfile } from './saveProfile.ts';
import { undoLast } from './undo.ts';

type Props = { readonly place: Place; readonly all: readonly Place[] };

/** The result of the last save for the editor, with its end in the schedule's zone. */
const answerOf = ({ phase, answer = {} }: Write, zone: string | undefined): Answer => {
  if (phase === 'sending' || phase === 'sent') return { status: phase };
  if (phase === 'unknown') return { status: 'unknown', message: words.value.unknownOutcome };
  if (phase === 'late' || answer.code === 'unknown_outcome') return { status: 'unconfirmed' };
  const { status = 'failed', errors, until } = answer;
  const isRefused = status === 'rejected' || status === 'failed';
  const message = isRefused ? { message: localTimes(reasonOf(answer, words.value, rule.value)) } : {};
  return { status, until: until && localInstant(until, zone), errors, ...message };
};

/** Sets a property of the element when its JSON value changes. */
const useProperty = <K extends keyof WeekEditorElement>(element: WeekEditorElement, name: K, value: WeekEditorElement[K]): void =>
  useEffect(() => {
    element[name] = value;
  }, [element, name, JSON.stringify(value)]);

/** The current local time of the schedule. */
const nowOf = ({ device: { zone }, schedule: { now: mode } }: Place): Now => ({
  ...localNow(now.value, zone),
  ...(mode === undefined ? {} : { mode }),
});

/** The calls left today, from `bridge/quota`. */
const callsLeftOf = (quota: string | undefined): number | undefined => {
  const left = jsonObject(quota ?? '')?.['left'];
  const day = isRecord(left) ? left['per_day'] : undefined;
  return typeof day === 'number' ? day : undefined;
};

/** Replaces the week in the drawing. Sends nothing until it is saved. */
export const draw = (to: (week: Week) => Week, said: string): void => {
  const editor = document.querySelector('heating-week-editor');
  editor?.change(to, said);
  editor?.scrollIntoView({ block: 'nearest' });
};

/** The week editor, with its data from the bridge and the bridge's answers. */
export const WeekEditor = ({ place, all }: Props) => {
  const { schedule } = place;
  const { topic, week, constraints, isWritable } = schedule;
  const holder = useRef<HTMLDivElement>(null);
  const element = useMemo(() => document.createElement('heating-week-editor') as WeekEditorElement, []);
  const targets = all.flatMap((one): readonly Target[] => {
    const { topic: id, isWritable: isTarget, constraints: limits } = one.schedule;
    return isTarget && id !== topic ? [{ id, label: scheduleName(one.schedule, one.device), constraints: limits }] : [];
  });
  const write = writes.value.get(`${topic}/set`);
  useProperty(element, 'constraints', constraints);
  // Set before the week: a narrow editor starts at today.
  useProperty(element, 'now', nowOf(place));
  useProperty(element, 'week', week);
  useProperty(element, 'language', language.value);
  useProperty(element, 'theme', theme.value);
  useProperty(element, 'profiles', profilesOf(topics.value.get(`${base.value}/bridge/info`)));
  useProperty(element, 'targets', targets);
  useProperty(element, 'callsLeft', callsLeftOf(topics.value.get(`${base.value}/bridge/quota`)));
  useProperty(element, 'readonly', !isWritable);
  useProperty(element, 'answer', write && answerOf(write, place.device.zone));
  useEffect(() => {
    const handlers: { readonly [K in keyof EditorEvents]: (detail: EditorEvents[K]) => void } = {
      save: ({ week: days, ...end }) => void send(`${topic}/set`, days, end),
      copyto: ({ id, week: copied }) => void send(`${id}/set`, copied),
      saveprofile: ({ name, week: named }) => void saveProfile(name, named),
      undo: () => undoLast(topic),
    };
    const stop = new AbortController();
    for (const [name, handle] of Object.entries(handlers))
      element.addEventListener(name, (event) => handle((event as CustomEvent).detail), { signal: stop.signal });
    mayLeave.current = () => !element.isChanged;
    holder.current?.append(element);
    return () => {
      stop.abort();
      mayLeave.current = () => true;
    };
  }, [element, topic]);
  return <div ref={holder} class="card editor-card" />;
};
