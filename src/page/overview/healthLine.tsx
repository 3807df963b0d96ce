import { mdiAlertCircleOutline, mdiAlertOutline, mdiCheckCircleOutline, mdiProgressClock } from '@mdi/js';
import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Health, healthOf } from '../model/health.ts';
import { announce } from '../shell/announcer.tsx';
import { Icon } from '../shell/icon.tsx';
import { linkTo } from '../shell/route.ts';
import { localMoment, words } from '../shell/say.ts';
import { retryNow } from '../state/live.ts';
import { base, devices, link, topics } from '../state/store.ts';
import { now } from '../state/time.ts';

const health = computed(() => healthOf(topics.value, base.value, devices.value, link.value, now.value));

type Said = {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad';
  readonly text: string;
  readonly hint?: string;
  readonly button?: { text: string; to: string };
};

const dateOf = (instant: string): string => localMoment(instant);

const say = (found: Health): Said => {
  const w = words.value;
  const login = { to: linkTo('settings', 'login') };
  switch (found.kind) {
    case 'well':
      return { tone: 'good', text: w.well, ...(found.readAt === undefined ? {} : { hint: w.readAt(dateOf(found.readAt)) }) };
    case 'lost':
      return { tone: 'bad', text: w.lost, hint: w.lostHint, button: { text: w.retry, to: '' } };
    case 'starting':
      return { tone: 'busy', text: w.starting, hint: w.startingHint };
    case 'broker':
      return { tone: 'bad', text: w.broker, hint: w.brokerHint, button: { text: w.brokerButton, to: linkTo('settings', 'broker') } };
    case 'login':
      return { tone: 'bad', text: w.login, hint: w.loginHint, button: { text: w.loginAgain, ...login } };
    case 'login_fails':
      return { tone: 'warn', text: w.loginFails, hint: w.loginFailsHint };
    case 'consent':
      return { tone: 'warn', text: w.consent(dateOf(found.at)), hint: w.consentHint, button: { text: w.consentButton, ...login } };
    case 'calls':
      return { tone: 'warn', text: w.calls(dateOf(found.at)), hint: w.callsHint };
    case 'offline':
      return { tone: 'bad', text: w.offline(found.devices.join(', ')), hint: w.offlineHint };
    case 'reading':
      return { tone: 'warn', text: w.reading, ...(found.since === undefined ? {} : { hint: w.readingHint(dateOf(found.since)) }) };
    default:
      found satisfies never;
      return { tone: 'good', text: '' };
  }
};

const ICONS = { good: mdiCheckCircleOutline, busy: mdiProgressClock, warn: mdiAlertOutline, bad: mdiAlertCircleOutline } as const;

/** One line that says whether all is well, and the one button that mends it when not. */
export const HealthLine = () => {
  const { tone, text, hint, button } = say(health.value);
  // A problem is said, and its end; the time of the last read changes all the time.
  const before = useRef(tone);
  const isProblem = tone === 'bad' || tone === 'warn';
  useEffect(() => {
    if (isProblem || before.current === 'bad' || before.current === 'warn') announce(text);
    before.current = tone;
  }, [text, tone, isProblem]);
  return (
    <section class={`health ${tone}`} aria-label={text}>
      <Icon path={ICONS[tone]} />
      <p>
        <strong>{text}</strong>
        {hint !== undefined && <span class="health-hint">{hint}</span>}
      </p>
      {button &&
        (button.to === '' ? (
          <button type="button" class="primary" onClick={retryNow}>
            {button.text}
          </button>
        ) : (
          <a class="button primary" href={button.to}>
            {button.text}
          </a>
        ))}
    </section>
  );
};
