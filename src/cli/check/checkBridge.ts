import { BRIDGE_STATES, type BridgeState, type BridgeStatus, partStates } from '../../bridge/publish/status/bridgeStates.ts';
import { refusalText } from '../../language/answers/refusals.ts';
import type { Language } from '../../language/language.ts';
import { messageOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { askHolder } from '../../storage/lock.ts';
import { descriptor, type Line, type Mark, markOf, type Report } from './report.ts';

/** The column of the state table that applies. */
type Question = 'check' | 'health';

const isBridgeStatus = (answer: unknown): answer is BridgeStatus => isRecord(answer) && 'broker' in answer && 'platform' in answer;

/** The answer of the running bridge: a text if the answer is wrong, undefined if no bridge runs. */
export const askBridge = (dataDir: string): Promise<unknown> => askHolder(dataDir).catch(messageOf);

/** Asks the running bridge and reports its status, or that none runs. */
export const checkBridge = async (dataDir: string, report: Report): Promise<boolean> => {
  const answer = await askBridge(dataDir);
  return answer === undefined ? reportNoBridge(dataDir, report) : reportBridge(answer, 'check', report);
};

export const reportNoBridge = (dataDir: string, report: Report): boolean =>
  report('FAIL', 'bridge', `no bridge is running with data_dir ${dataDir}`, descriptor('no_bridge', { folder: dataDir }));

/** Reports the bridge's answer. True if every part is good for `question` (table: docs/health.md). */
export const reportBridge = (answer: unknown, question: Question, report: Report): boolean => {
  if (typeof answer === 'string') return report(markIn('stuck', question), 'running bridge', answer, descriptor('bridge_silent'));
  if (!isBridgeStatus(answer))
    return report(markIn('starting', question), 'running bridge', 'it is just starting', descriptor('bridge_starting'));
  const { broker, platform, login, page: pageState } = partStates(answer);
  if (question === 'health' && broker !== 'stuck') report('ok', 'running bridge', 'it is alive');
  const { page = 'off', auth, auth_message: message = `the login is ${auth}; see the topic bridge/auth` } = answer;
  const parts = [
    report(markIn(broker, question), 'running bridge', ...brokerLine(broker, answer)),
    report(markIn(platform, question), 'running bridge', ...readingLine(platform, answer)),
    report(markIn(login, question), 'login', message, descriptor(`login_${auth}`)),
    ...refusedLines(answer, report),
    ...(page === 'off' ? [] : [report(markIn(pageState, question), 'page', PAGE_SENTENCES[page], descriptor(`page_${page}`))]),
  ];
  return !parts.includes(false);
};

/** The maximum number of refusals that `check` names; `bridge/plan` has all. */
const MOST_REFUSALS = 5;

const refusedLines = ({ refused = [] }: BridgeStatus, report: Report): readonly boolean[] => {
  if (refused.length === 0) return [];
  const textIn = (language: Language): string =>
    [
      ...refused.slice(0, MOST_REFUSALS).map((one) => {
        const text = refusalText(one, language);
        return text.charAt(0).toLowerCase() + text.slice(1);
      }),
      ...(refused.length > MOST_REFUSALS ? [`… (${refused.length})`] : []),
    ].join('; ');
  const why = 'This depends on the plan and the age of the account. Nothing is wrong with your heating or your settings';
  const sentence = `Viessmann refuses this to the account (402): ${textIn('en')}. ${why}`;
  return [report('note', 'account', sentence, descriptor('refused', { what: textIn('de') }))];
};

const PAGE_SENTENCES = {
  served: 'it is served',
  unserved: 'it cannot be served there; the log of the bridge says why',
  full: 'all its connections are in use; it answers no further browser until one of them ends',
};

const markIn = (state: BridgeState, question: Question): Mark => {
  const isGood = BRIDGE_STATES[state][question] === 0;
  return isGood && state !== 'well' ? 'note' : markOf(isGood);
};

const UNREAD =
  'the broker sends it no messages below mqtt.base, so commands do not arrive: give its user at the broker the right to read and write below mqtt.base';

const brokerLine = (state: BridgeState, { broker, stalled_s }: BridgeStatus): Line => {
  if (state === 'stuck') {
    const sentence = `its connection to the broker is stuck: nothing has happened for ${stalled_s} s; restart the bridge`;
    return [sentence, descriptor('bridge_stuck')];
  }
  if (state === 'broker_unread') return [UNREAD, descriptor('bridge_unread')];
  if (broker) return ['connected to the broker', descriptor('bridge_broker')];
  const since =
    state === 'starting' ? 'it is just starting, and not connected to the broker yet' : 'not connected to the broker; its log says why';
  return [since, descriptor('bridge_no_broker')];
};

const readingLine = (state: BridgeState, { platform, last_success_s: age, poll_seconds: poll, waits, problem }: BridgeStatus): Line => {
  if (!platform) {
    const minutes = age === undefined ? undefined : Math.round(age / 60);
    const since = minutes === undefined ? 'nothing could be read yet' : `no read has worked for ${minutes} minutes`;
    const offline = state === 'gateway_offline';
    const sentence = `${offline ? 'your heating is offline; ' : ''}${since}: ${problem ?? 'its log says why'}`;
    return [sentence, descriptor('bridge_trouble', { minutes, offline })];
  }
  const waiting = waits ? '; no call is left, bridge/quota says until when' : '';
  const sentence =
    age === undefined
      ? `nothing has been read yet${waits ? waiting : '; no read is due'}`
      : `last read ${age} s ago; one round of reads takes ${poll} s${waiting}`;
  return [sentence, descriptor('bridge_reads', { age, poll, waits: waits !== undefined })];
};
