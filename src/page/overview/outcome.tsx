import { mdiAlertCircle, mdiCheck, mdiClockOutline, mdiClose } from '@mdi/js';
import { useEffect } from 'preact/hooks';
import { outcomeOf } from '../model/outcome.ts';
import { announce } from '../shell/announcer.tsx';
import { localMoment, localTimes, valueText } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { rule, words } from '../shell/words.ts';
import { zoneOf } from '../state/store.ts';
import { dismiss, type Write, writes } from '../state/writes.ts';

const sentenceOf = (topic: string, { phase, answer }: Write): string => {
  const w = words.value;
  if (answer?.status === 'unchanged' && topic.endsWith('/undo/set')) return w.nothingToUndo;
  if (phase === 'sending') return w.sending;
  if (phase === 'sent') return w.sent;
  if (phase === 'unknown') return w.unknownOutcome;
  if (phase === 'late') return w.lateOutcome;
  const zone = zoneOf(answer?.device);
  return localTimes(outcomeOf(answer ?? {}, w, rule.value, (until) => localMoment(until, zone), valueText));
};

const ICONS = { sending: mdiClockOutline, sent: mdiClockOutline, accepted: mdiClockOutline, done: mdiCheck } as const;

/** `isNamed`: shows the name too. */
type OutcomeProps = { readonly topic: string; readonly name: string; readonly isNamed?: boolean };

/** The progress of the last write to a topic; `name` identifies the topic for screen readers. */
export const Outcome = ({ topic, name, isNamed = false }: OutcomeProps) => {
  const write = writes.value.get(topic);
  const sentence = write ? sentenceOf(topic, write) : '';
  useEffect(() => {
    if (sentence !== '') announce(`${name}: ${sentence}`);
  }, [sentence, name]);
  if (!write) return null;
  const isProblem = write.phase === 'refused' || write.phase === 'unknown' || write.phase === 'late';
  const icon = isProblem ? mdiAlertCircle : ICONS[write.phase as keyof typeof ICONS];
  return (
    <p class={`outcome ${isProblem ? 'problem' : write.phase}`}>
      <Icon path={icon} />
      <span>{isNamed ? `${name}: ${sentence}` : sentence}</span>
      {isProblem && (
        <button type="button" class="plain" aria-label={words.value.close} onClick={() => dismiss(topic)}>
          <Icon path={mdiClose} />
        </button>
      )}
    </p>
  );
};
