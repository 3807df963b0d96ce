import { EventEmitter } from 'node:events';
import { type AccountName, commandFor, LOGIN_HELP } from '../../../language/accounts/loginHelp.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import type { BridgeAddress, BridgeCommand } from '../../../topics/topicNames.ts';
import type { AuthReport, FinishLogin } from '../../ports.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { AskResult, Quota } from '../../state/readTarget.ts';
import type { AnsweredMessage } from '../answers/answerLog.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { FAULT, rejected } from '../answers/results.ts';
import type { CommandResult } from '../request/commandRequest.ts';

type BridgeCommandsParts = {
  readonly account: AccountName;
  readonly results: ResultPublisher;
  /** Makes the reads of one device, or of all, due now. */
  readonly poller: { ask(device?: string): AskResult; pollNow(): void };
  readonly store: Pick<FeatureStore, 'devices'>;
  readonly access: { report(): AuthReport };
  readonly quota: Pick<Quota, 'mayRead' | 'pausedForMs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly calendar: { takeEvents(name: string, text: string): CommandResult };
  readonly approvals: Readonly<Record<'calendar' | 'seasons', { approve(text: string): CommandResult }>>;
  /** Absent where the settings name no prices. */
  readonly price: { order(text: string): CommandResult } | undefined;
  /** Absent where the settings allow no login over MQTT. */
  readonly finishLogin: FinishLogin | undefined;
  readonly takeUpLogin: (() => void) | undefined;
  /** Requests the restart of a gateway. */
  readonly restart: (text: string) => Promise<CommandResult>;
  /** Absent where the settings name the devices. */
  readonly discovery: { lookSoon(): void; retry(always: boolean): void } | undefined;
};

const NOT_LOGGED_IN: CommandResult = {
  status: 'failed',
  code: 'login_needed',
  message: 'nothing can be read before a new login; see bridge/auth',
};
const NO_PRICES = 'the settings name no prices: prices.topic or prices.url';

/**
 * Handles bridge commands: `poll`, `auth`, `republish`, `restart_gateway`, `calendar`, `seasons`,
 * `price_plan`, and calendar events. Each message gets one answer.
 */
export const makeBridgeCommands = (parts: BridgeCommandsParts) => {
  const { account, results, poller, store, access, quota, clock, log, calendar, price, finishLogin, takeUpLogin, restart, discovery } =
    parts;
  const events = new EventEmitter<{ republish: [] }>();

  const receive = (message: AnsweredMessage & { readonly id?: Answer['id'] }, address: BridgeAddress, text: string): void => {
    const answer = (report: CommandResult): void => results.replyTo(message)({}, { id: message.id, ...report });
    const report = orFault(() => (address.kind === 'events' ? calendar.takeEvents(address.name, text) : reportOf(address.what, text)));
    if (report instanceof Promise) void report.then(answer);
    else answer(report);
  };

  const reportOf = (what: BridgeCommand, text: string): CommandResult | Promise<CommandResult> => {
    switch (what) {
      case 'auth':
        return endLogin(text);
      case 'republish':
        events.emit('republish');
        return { status: 'applied', message: 'everything is published again', facts: { about: 'republished' } };
      case 'restart_gateway':
        return restart(text);
      case 'calendar':
      case 'seasons':
        return parts.approvals[what].approve(text);
      case 'price_plan':
        return price?.order(text) ?? rejected('not_executable', NO_PRICES, { about: 'no_prices' });
      case 'poll':
        return poll(text.trim());
      default:
        return what satisfies never;
    }
  };

  /** An internal error ends only the message that it occurs in. */
  const orFault = <T>(work: () => T): T | CommandResult => {
    try {
      return work();
    } catch (cause) {
      log.error({ why: String(cause) }, 'internal error while handling a message to the bridge; please report it');
      return FAULT;
    }
  };

  /** After a login: uses it, and reads everything now. */
  const pollNow = (): void => {
    takeUpLogin?.();
    discovery?.retry(true);
    discovery?.lookSoon();
    poller.pollNow();
  };

  const endLogin = async (address: string): Promise<CommandResult> => {
    const command = commandFor('login', account);
    if (!finishLogin)
      return rejected('forbidden', `platform.login_over_mqtt is not true in the settings; log in ${LOGIN_HELP.en.where(command)}`, {
        about: 'login_over_mqtt',
        command,
      });
    const ended = await finishLogin(address);
    if (ended.status === 'applied') pollNow();
    return { ...ended, facts: { about: LOGIN_ENDS[ended.status], command } };
  };

  const poll = (asked: string): CommandResult => {
    const isLoginNeeded = (): boolean => access.report().state === 'login_needed';
    // A login that the command line has stored is otherwise noticed once a minute.
    if (isLoginNeeded()) takeUpLogin?.();
    if (isLoginNeeded()) return NOT_LOGGED_IN;
    const pausedMs = quota.pausedForMs();
    const instant = (aheadMs: number): string => new Date(clock.now() + aheadMs).toISOString();
    if (pausedMs > 0)
      return rejected('no_quota', `the platform refuses further calls until ${instant(pausedMs)}; poll again then`, {
        about: 'no_calls_until',
        from: instant(pausedMs),
      });
    if (!quota.mayRead()) return rejected('no_quota', 'there is no call left for a poll now; see bridge/quota');
    const device = store.devices.find(({ name }) => name === asked)?.name;
    if (device === undefined) discovery?.lookSoon();
    const [whom, are, were] = device === undefined ? ['all devices', 'are', 'were'] : [device, 'is', 'was'];
    const answer = poller.ask(device);
    switch (answer.kind) {
      case 'due':
        return { status: 'applied', message: `${whom} ${are} read now`, facts: { about: 'read_now', device } };
      case 'lately':
        return rejected('too_often', `${whom} ${were} read a moment ago; poll again in ${secondsOf(answer.againMs)} s`, {
          ...{ about: 'asked_lately', device, seconds: secondsOf(answer.againMs) },
        });
      case 'nothing':
        return rejected('unreadable', `nothing can be read from ${whom} now${NOTHING}`);
      default:
        return answer satisfies never;
    }
  };

  return Object.assign(events, { receive, pollNow });
};

export type BridgeCommands = ReturnType<typeof makeBridgeCommands>;

const LOGIN_ENDS = { applied: 'logged_in', rejected: 'login_refused', failed: 'login_failed' } as const;

/** Whole seconds, rounded up. */
const secondsOf = (ms: number): number => Math.ceil(ms / 1000);

const NOTHING = ': no device is known, or the platform has refused every read; the log says why, and it is tried again after some hours';
