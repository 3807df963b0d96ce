import { mdiAlertCircle, mdiAlertOutline, mdiCheckCircle, mdiClockOutline } from '@mdi/js';
import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { STANDING } from '../../language/faults/standingWords.ts';
import type { PageWords } from '../../language/pageEn.ts';
import { faultSentence, staleSentence } from '../faults/sentences.ts';
import { type Health, healthOf, REMEDIES } from '../model/health.ts';
import { announce } from '../shell/announcer.tsx';
import { localMoment } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { linkToProcess } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { retryNow } from '../state/live.ts';
import { accountName } from '../state/place.ts';
import { language } from '../state/preferences.ts';
import { base, devices, link, topics } from '../state/store.ts';
import { now } from '../state/time.ts';
import { send, writes } from '../state/writes.ts';
import { deviceTitle } from './names.ts';
import { Outcome } from './outcome.tsx';

const health = computed(() => healthOf(topics.value, base.value, devices.value, link.value, now.value));

type Status = { readonly tone: 'good' | 'busy' | 'warn' | 'bad'; readonly text: string; readonly hint?: string };

type Of<K> = Extract<Health, { readonly kind: K }>;

const STATUS: { readonly [K in Health['kind']]: (found: Of<K>, w: PageWords) => Status } = {
  well: ({ readAt }, w) => ({ tone: 'good', text: w.well, hint: w.readAt(localMoment(readAt)) }),
  connecting: (_, w) => ({ tone: 'busy', text: w.connecting }),
  lost: (_, w) => ({ tone: 'bad', text: w.lost, hint: w.lostHint }),
  starting: (_, w) => ({ tone: 'busy', text: w.starting, hint: w.startingHint }),
  started: (_, w) => ({ tone: 'busy', text: w.started, hint: w.startedHint }),
  broker: (_, w) => ({ tone: 'bad', text: w.broker, hint: w.brokerHint }),
  taken: (_, w) => ({ tone: 'bad', text: w.taken, hint: w.takenHint }),
  login: (_, w) => ({ tone: 'bad', text: w.login, hint: w.loginHint }),
  login_fails: (_, w) => ({ tone: 'warn', text: w.loginFails, hint: w.loginFailsHint }),
  consent: ({ at }, w) => ({ tone: 'warn', text: w.consent(localMoment(at)), hint: w.consentHint }),
  calls: ({ at }, w) => ({ tone: 'warn', text: w.calls(localMoment(at)), hint: w.callsHint }),
  plan: () => ({ tone: 'bad', text: STANDING[language.value].allRefused }),
  unread: () => ({ tone: 'bad', text: STANDING[language.value].unread }),
  dotted: () => ({ tone: 'warn', text: STANDING[language.value].dotted }),
  fault: ({ faults }) => ({ tone: 'bad', text: faultSentence(faults) }),
  stale: ({ stale }) => ({ tone: 'bad', text: stale.map(staleSentence).join(' ') }),
  offline: ({ devices: names }, w) => ({ tone: 'bad', text: w.offline(names.map(deviceTitle).join(', ')), hint: w.offlineHint }),
  reading: ({ since }, w) => ({
    ...{ tone: 'warn', text: w.reading },
    ...(since === undefined ? {} : { hint: w.readingHint(localMoment(since)) }),
  }),
};

const statusOf = <K extends Health['kind']>(found: Of<K> & { readonly kind: K }): Status => STATUS[found.kind](found, words.value);

/** The button that fixes the problem. */
const RemedyButton = ({ kind, pollTopic }: { readonly kind: Health['kind']; readonly pollTopic: string }) => {
  const w = words.value;
  const remedy = REMEDIES[kind];
  if (remedy === undefined) return null;
  if (remedy === 'retry' || remedy === 'read')
    return (
      <Button
        text={remedy === 'retry' ? w.retry : w.readNow}
        class="primary"
        onClick={remedy === 'retry' ? retryNow : () => void send(pollTopic, 'x')}
      />
    );
  const text = { login: kind === 'consent' ? w.consentButton : w.loginAgain, broker: w.brokerButton, tests: w.testsButton }[remedy];
  // The settings have the login of the main account only.
  const isInTable = remedy === 'login' && accountName !== '';
  return (
    <a class="button primary" href={isInTable ? linkToProcess('accounts') : linkToProcess('settings', remedy)}>
      {text}
    </a>
  );
};

const ICONS = { good: mdiCheckCircle, busy: mdiClockOutline, warn: mdiAlertOutline, bad: mdiAlertCircle } as const;

/** One line with the overall status, and one button to fix a problem. */
export const HealthLine = () => {
  const { kind } = health.value;
  const { tone, text, hint } = statusOf(health.value);
  const pollTopic = `${base.value}/bridge/poll/set`;
  const asked = writes.value.get(pollTopic);
  // Announce a problem and its end only: the time of the last read changes constantly.
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
