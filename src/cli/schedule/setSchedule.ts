import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings.ts';
import type { RequestClient } from '../../mqtt/requestClient.ts';
import { printDays } from '../../schedule/text/dayWords.ts';
import { printDay } from '../../schedule/text/weekText.ts';
import { changedDays, type Entry, type Week } from '../../schedule/week.ts';
import { CodedError } from '../../shared/errors.ts';
import type { Issue } from '../../shared/issue.ts';
import { printable } from '../../shared/log.ts';
import { readText } from '../../topics/commandPayload.ts';
import { bridgeTopic, featureTopic } from '../../topics/topicNames.ts';
import type { Io } from '../terminal/io.ts';
import { hasColour, type Piece, paint, type Style, wrapPieces, wrapText } from '../terminal/terminalText.ts';
import { chooseOne } from './chooseSchedules.ts';
import { type CommandResult, isSuccess, issueLines, readCommandResult, resultLines } from './commandResult.ts';
import { readRequestedWeek } from './requestedWeek.ts';
import type { RetainedState } from './retainedSchedules.ts';
import { type SetRequest, splitWords, type UndoRequest } from './scheduleArguments.ts';

/** The bridge is not connected or did not answer in time. */
class BridgeUnavailable extends CodedError<'bridge_offline' | 'no_answer'> {}

type SetIo = Pick<Io, 'env' | 'cwd' | 'out' | 'err' | 'stdin' | 'isTTY'>;

/**
 * Reads the requested week, has the bridge check it, and shows the changes. Unless it is a dry run, the
 * bridge writes it, and the result is awaited. Exit code 0 if the week is as requested. Throws UsageError,
 * BridgeUnavailable or RequestClientError.
 */
export const setSchedule = async (
  client: RequestClient,
  { bridge, schedules }: RetainedState,
  request: SetRequest,
  { base, max_payload }: Settings['mqtt'],
  io: SetIo,
): Promise<number> => {
  const { words, profile, file, json, timeoutMs } = request;
  const devices = schedules.map(({ device }) => device);
  const { names, week } = profile === undefined && file === undefined ? splitWords(words, devices) : { names: words };
  const schedule = chooseOne(schedules, names, base);
  const requested = await readRequestedWeek({ ...request, week }, schedule, bridge, max_payload, io);
  if (!requested.ok) return refuse(requested.issues, (path) => path, json, io);
  if (!bridge.isOnline) throw offline(base);
  const { payloadOf, placeOf } = requested.value;
  const size = readText(Buffer.from(payloadOf(randomUUID())), max_payload);
  if (!size.ok) return refuse(size.issues, placeOf, json, io);

  const out = (lines: readonly string[]): void => {
    if (!json) for (const line of lines) io.out(line);
  };
  const ask = (leaf: 'set' | 'validate'): Promise<Reply> =>
    requestResult(client, base, featureTopic(base, schedule.device, schedule.feature, leaf), payloadOf, timeoutMs, io);
  const end = ({ result, payload }: Reply): number => {
    if (json) io.out(payload);
    else out(resultLines(result, placeOf, bridge.zones.get(schedule.device)));
    return isSuccess(result) ? 0 : 1;
  };
  await client.subscribe([`${base}/+/result`]);
  out([printable(`${schedule.device} ${schedule.feature}`)]);
  const checked = await ask('validate');
  if (!isSuccess(checked.result)) return end(checked);
  const after = checked.result.week;
  if (after) {
    const changes = differenceLines(schedule.entries, after, hasColour(io));
    out(changes.length > 0 ? changes : ['Nothing changes.']);
  }
  if (request.dryRun) return end(checked);
  const written = await ask('set');
  if (written.result.adapted && after) {
    const changes = differenceLines(after, written.result.adapted, hasColour(io));
    out(changes.length > 0 ? ['The platform changed it to:', ...changes] : []);
  }
  return end(written);
};

/** Undoes the last change of a schedule, waits for the result. Exit code and errors: see `setSchedule`. */
export const undoSchedule = async (
  client: RequestClient,
  { bridge, schedules }: RetainedState,
  { words, json, timeoutMs }: UndoRequest,
  base: string,
  io: Pick<SetIo, 'out' | 'err'>,
): Promise<number> => {
  const { device, feature } = chooseOne(schedules, words, base);
  if (!bridge.isOnline) throw offline(base);
  await client.subscribe([`${base}/+/result`]);
  if (!json) io.out(printable(`${device} ${feature}`));
  const topic = `${featureTopic(base, device, feature, 'undo')}/set`;
  const { result, payload } = await requestResult(client, base, topic, (id) => JSON.stringify({ value: 'undo', id }), timeoutMs, io);
  const told = result.status === 'unchanged' ? { ...result, message: NOTHING_LEFT } : result;
  for (const line of json ? [payload] : resultLines(told, (path) => path, bridge.zones.get(device))) io.out(line);
  return isSuccess(result) ? 0 : 1;
};

const NOTHING_LEFT = 'there is nothing to undo; nothing was sent';

/** The days that differ, as lines of at most 80 columns; days with the same change are grouped. */
export const differenceLines = (before: Week, after: Week, colour: boolean): readonly string[] => {
  const groups = Map.groupBy(changedDays(before, after), (day) => JSON.stringify([textsOf(before[day]), textsOf(after[day])]));
  const lines = (mark: string, style: Style, entries: readonly Entry[]): readonly string[] => {
    const pieces = textsOf(entries).map((text): Piece => ({ text, shown: paint(style, text, colour) }));
    return wrapPieces(pieces, `  ${mark} `);
  };
  return [...groups.values()].flatMap((days) => [
    printDays(days),
    ...days.slice(0, 1).flatMap((day) => [...lines('-', 'red', before[day]), ...lines('+', 'green', after[day])]),
  ]);
};

/** The text of each entry, with commas between them; raw times and modes if there is no text form. */
const textsOf = (entries: readonly Entry[]): readonly string[] => {
  const text = printDay(entries) ?? entries.map(({ start, end, mode }) => `${start}-${end} ${mode}`).join(', ');
  return printable(text).split(/(?<=,) /u);
};

/** Prints the issues of a week that was not sent; returns exit code 1. */
const refuse = (issues: readonly Issue[], placeOf: (path: string) => string, json: boolean, io: Pick<Io, 'out'>): 1 => {
  if (json) io.out(JSON.stringify({ status: 'rejected', code: 'invalid', errors: issues }));
  else for (const line of ['rejected: nothing was sent.', ...issueLines(issues, placeOf)]) io.out(line);
  return 1;
};

type Reply = { readonly result: CommandResult; readonly payload: string };

/** Publishes a command with an id in its payload and waits for the final result. Throws BridgeUnavailable. */
const requestResult = async (
  client: RequestClient,
  base: string,
  topic: string,
  payloadOf: (id: string) => string,
  timeoutMs: number,
  io: Pick<Io, 'err'>,
): Promise<Reply> => {
  const id = randomUUID();
  const state = bridgeTopic(base, 'state');
  let isAccepted = false;
  const find = (from: string, received: string): Reply | 'offline' | undefined => {
    if (from === state) return received === 'offline' ? 'offline' : undefined;
    const result = from.endsWith('/result') ? readCommandResult(received) : undefined;
    if (result?.id !== id) return undefined;
    if (result.status !== 'accepted') return { result, payload: received };
    if (!isAccepted) io.err('The platform accepted it; waiting until a read shows it.');
    isAccepted = true;
    return undefined;
  };
  const reply = await client.request({ topic, payload: payloadOf(id) }, find, timeoutMs);
  if (typeof reply === 'object') return reply;
  const written = isAccepted
    ? 'The platform had accepted it; `heating2mqtt schedule show` shows the result'
    : 'It is not known whether it was sent: check with `heating2mqtt schedule show` before you write again';
  const rest = topic.endsWith('/set') ? written : 'Nothing was sent';
  if (reply === 'offline') throw new BridgeUnavailable('bridge_offline', `The bridge went offline before it answered. ${rest}.`);
  throw new BridgeUnavailable('no_answer', `The bridge did not answer within ${timeoutMs / 1000} s. ${rest}.`);
};

/** While the bridge is offline, a command would be lost. */
const offline = (base: string): BridgeUnavailable => {
  const sentence = `The bridge is offline (topic ${bridgeTopic(base, 'state')}), so nothing was sent. Start it with \`heating2mqtt run\`.`;
  return new BridgeUnavailable('bridge_offline', wrapText(sentence).join('\n'));
};
