import { BRIDGE_STATES, type BridgeState, type BridgeStatus, partStates } from '../../bridge/status/bridgeStates.ts';
import { messageOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { askHolder } from '../../storage/lock.ts';
import { type Mark, markOf, type Report } from './report.ts';

/** Which column of the table of states counts. */
type Question = 'check' | 'health';

const isBridgeStatus = (answer: unknown): answer is BridgeStatus => isRecord(answer) && 'broker' in answer && 'platform' in answer;

/**
 * Asks the running bridge, and reports its status, or why there is none. True where the state of each part is one that `question` takes for
 * good: docs/health.md has the table.
 */
export const checkBridge = async (dataDir: string, question: Question, report: Report): Promise<boolean> => {
  const answer = await askHolder(dataDir).catch(messageOf);
  if (answer === undefined) return report('FAIL', 'bridge', `no bridge is running with data_dir ${dataDir}`);
  if (typeof answer === 'string') return report(markIn('stuck', question), 'running bridge', answer);
  if (!isBridgeStatus(answer)) return report(markIn('starting', question), 'running bridge', 'it is just starting');
  const { broker, platform, login } = partStates(answer);
  const parts = [
    report(markIn(broker, question), 'running bridge', brokerSentence(broker, answer)),
    report(markIn(platform, question), 'running bridge', readingSentence(answer)),
    report(markIn(login, question), 'login', answer.auth_message ?? `it is ${answer.auth}; the topic bridge/auth says more`),
  ];
  return !parts.includes(false);
};

const markIn = (state: BridgeState, question: Question): Mark => {
  const isGood = BRIDGE_STATES[state][question] === 0;
  return isGood && state !== 'well' ? 'note' : markOf(isGood);
};

const brokerSentence = (state: BridgeState, { broker, stalled_s }: BridgeStatus): string => {
  if (state === 'stuck') return `its connection to the broker is stuck: nothing has happened for ${stalled_s} s; start the bridge again`;
  if (broker) return 'connected to the broker';
  return state === 'starting'
    ? 'it is just starting, and not connected to the broker yet'
    : 'not connected to the broker; its log says why';
};

const readingSentence = (status: BridgeStatus): string => {
  const { platform, last_success_s: age, poll_seconds: poll, waits, problem } = status;
  if (!platform) {
    const since = age === undefined ? 'nothing could be read yet' : `no good read for ${Math.round(age / 60)} minutes`;
    return `${since}: ${problem ?? 'its log says why'}`;
  }
  const waiting = waits ? '; it waits until calls are left, bridge/quota says until when' : '';
  return age === undefined
    ? `nothing was read yet, and ${waits ? 'no call is left' : 'nothing is due'}${waiting}`
    : `last good read ${age} s ago, one round takes ${poll} s${waiting}`;
};
