import { mdiAlertCircleOutline, mdiAlertOutline, mdiCheckCircleOutline, mdiProgressClock } from '@mdi/js';
import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Health, healthOf, REMEDIES } from '../model/health.ts';
import { announce } from '../shell/announcer.tsx';
import { localMoment } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { linkTo } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { retryNow } from '../state/live.ts';
import { base, devices, link, topics } from '../state/store.ts';
import { now } from '../state/time.ts';
import { send, writes } from '../state/writes.ts';
import { Outcome } from './outcome.tsx';

const health = computed(() => healthOf(topics.value, base.value, devices.value, link.value, now.value));

type Status = { readonly tone: 'good' | 'busy' | 'warn' | 'bad'; readonly text: string; readonly hint?: string };

const statusOf = (found: Health): Status => {
  const w = words.value;
  switch (found.kind) {
    case 'well':
      return { tone: 'good', text: w.well, hint: w.readAt(localMoment(found.readAt)) };
    case 'connecting':
      return { tone: 'busy', text: w.connecting };
    case 'lost':
      return { tone: 'bad', text: w.lost, hint: w.lostHint };
    case 'starting':
      return { tone: 'busy', text: w.starting, hint: w.startingHint };
    case 'started':
      return { tone: 'busy', text: w.started, hint: w.startedHint };
    case 'broker':
      return { tone: 'bad', text: w.broker, hint: w.brokerHint };
    case 'login':
      return { tone: 'bad', text: w.login, hint: w.loginHint };
    case 'login_fails':
      return { tone: 'warn', text: w.loginFails, hint: w.loginFailsHint };
    case 'consent':
      return { tone: 'warn', text: w.consent(localMoment(found.at)), hint: w.consentHint };
    case 'calls':
      return { tone: 'warn', text: w.calls(localMoment(found.at)), hint: w.callsHint };
    case 'offline':
      return { tone: 'bad', text: w.offline(found.devices.join(', ')), hint: w.offlineHint };
    case 'reading':
      return { tone: 'warn', text: w.reading, ...(found.since === undefined ? {} : { hint: w.readingHint(localMoment(found.since)) }) };
    default:
      found satisfies never;
      return { tone: 'good', text: '' };
  }
};

/** The button that mends it. */
const RemedyButton = ({ kind, pollTopic }: { readonly kind: Health['kind']; readonly pollTopic: string }) => {
  const w = words.value;
  const remedy = REMEDIES[kind];
  if (remedy === undefined) return null;
  if (remedy === 'retry' || remedy === 'read')
    return (
      <button type="button" class="primary" onClick={remedy === 'retry' ? retryNow : () => void send(pollTopic, 'x')}>
        {remedy === 'retry' ? w.retry : w.readNow}
      </button>
    );
  const text = { login: kind === 'consent' ? w.consentButton : w.loginAgain, broker: w.brokerButton, tests: w.testsButton }[remedy];
  return (
    <a class="button primary" href={linkTo('settings', remedy)}>
      {text}
    </a>
  );
};

const ICONS = { good: mdiCheckCircleOutline, busy: mdiProgressClock, warn: mdiAlertOutline, bad: mdiAlertCircleOutline } as const;

/** One line that says whether all is well, and the one button that mends it when not. */
export const HealthLine = () => {
  const { kind } = health.value;
  const { tone, text, hint } = statusOf(health.value);
  const pollTopic = `${base.value}/bridge/poll/set`;
  const asked = writes.value.get(pollTopic);
  // A problem is said, and its end; the time of the last read changes all the time.
  const before = useRef(tone);
  const isProblem = tone === 'bad' || tone === 'warn';
  useEffect(() => {
    if (isProblem || before.current === 'bad' || before.current === 'warn') announce(text);
    before.current = tone;
  }, [text, tone, isProblem]);
  return (
    <>
      <section class={`health ${tone}`} aria-label={text}>
        <Icon path={ICONS[tone]} />
        <p>
          <strong>{text}</strong>
          {hint !== undefined && <span class="health-hint">{hint}</span>}
        </p>
        <RemedyButton kind={kind} pollTopic={pollTopic} />
      </section>
      {asked && asked.phase !== 'done' && <Outcome topic={pollTopic} name={words.value.readNow} isNamed />}
      {asked?.phase === 'done' && <p role="status">{words.value.beingRead}</p>}
    </>
  );
};
