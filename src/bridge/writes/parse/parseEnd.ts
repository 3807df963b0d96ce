import { type EndToFill, type Filled, fillOwnEnd, minutesOfOne } from '../../../features/commandEnd.ts';
import { targetOf } from '../../../features/effect.ts';
import type { Command, Feature } from '../../../features/feature.ts';
import { type LocalNow, readEitherEnd, readEnd } from '../../../schedule/ending.ts';
import type { GoverningWeek } from '../../../schedule/nextEnd.ts';
import { completeWeek, validateWeek } from '../../../schedule/validateWeek.ts';
import type { WrittenWeek } from '../../../schedule/writtenWeek.ts';
import { addDays, dateText, instantAt, localAt } from '../../../schedule/zone.ts';
import { bad, broken, type Checked, good, type Issue } from '../../../shared/issue.ts';
import { type Envelope, readEnveloped, withRightKeys } from '../../../topics/commandPayload.ts';
import { governingWeek } from '../../../topics/governingWeek.ts';
import { constraintsOf } from '../../../topics/scheduleCommand.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { invalid } from '../request/rejection.ts';
import type { ArgumentsContent, PlannedWrite } from './evaluate.ts';
import type { Parsed, ParsedWrite, ResolvedWrite } from './resolveWrite.ts';

type OwnEnd = Extract<Filled, { readonly kind: 'filled' }>;

/** When a write came, and its governing week: its end keeps this meaning until it is sent. */
type Arrival = LocalNow & { readonly week: GoverningWeek };

/**
 * The write with the end of its envelope; a deferred write gets it when it is resolved. If a parameter of the
 * command can take the end, that is filled instead, and the device ends the write.
 */
export const withEnd = (parsed: ParsedWrite, state: DeviceState, here: LocalNow): Parsed => {
  const arrival = { ...here, week: governingWeek(parsed.feature, (name) => state.shown(name)) };
  if ('choose' in parsed) return { ok: true, write: { ...parsed, choose: (now) => resolvedWithEnd(parsed.choose(now), now, arrival) } };
  const ended = ending(parsed, state.shown(parsed.feature), arrival);
  return ended.ok ? { ok: true, write: ended.value } : { ok: false, refusal: invalid(ended.issues), about: parsed };
};

const resolvedWithEnd = (chosen: ResolvedWrite | undefined, state: DeviceState, arrival: Arrival): ResolvedWrite | undefined => {
  if (!chosen) return undefined;
  const about = chosen.kind === 'write' ? chosen.write : chosen.about;
  const refused = (issues: readonly Issue[]): ResolvedWrite => {
    return { kind: 'refused', from: chosen.from, refusal: invalid(issues), mayAge: false, about };
  };
  if (chosen.kind === 'write') {
    const ended = ending(chosen.write, state.shown(chosen.write.feature), arrival);
    return ended.ok ? { ...chosen, write: ended.value } : refused(ended.issues);
  }
  const { end } = about.envelope;
  if (!end) return chosen;
  const at = readEnd(end, arrival, arrival.week);
  return at.ok ? { ...chosen, about: { ...about, untilMs: at.value } } : refused(at.issues);
};

const ending = (write: PlannedWrite, feature: Feature | undefined, arrival: Arrival): Checked<PlannedWrite> => {
  const { content, envelope } = write;
  if (!envelope.end) return good(write);
  const { path } = envelope.end;
  const week = content.kind === 'week' ? withWritten(arrival.week, content.week, feature) : good(arrival.week);
  if (!week.ok) return week;
  const at = readEnd(envelope.end, arrival, week.value);
  if (!at.ok) return at;
  const command = feature?.commands.get(write.command);
  if (content.kind !== 'arguments' || !feature || !command) return good({ ...write, untilMs: at.value });
  const filled = fillOwnEnd(command, content.args, endToFill(at.value, arrival), content.chosen?.filled, minutesOfOne(feature));
  if (filled.kind === 'unfit') return bad(...filled.issues.map((issue) => ({ ...issue, path })));
  return good(
    filled.kind === 'filled' ? { ...write, content: endedBy(content, filled, feature, command) } : { ...write, untilMs: at.value },
  );
};

/** The content with its end in a parameter of the command. */
const endedBy = (content: ArgumentsContent, { args, parameter }: OwnEnd, feature: Feature, command: Command): ArgumentsContent => {
  const { chosen } = content;
  const taken = command.params.get(parameter);
  const property = taken && targetOf(feature, command, parameter, taken)?.property;
  const value = args[parameter];
  const ended = { ...content, args, endsBy: parameter };
  if (!chosen?.effect || property === undefined || value === undefined || !chosen.effect.has(property)) return ended;
  return { ...ended, chosen: { ...chosen, effect: new Map([...chosen.effect, [property, value]]) } };
};

/** The governing week with the written days in place, or what is wrong with them. */
const withWritten = (week: GoverningWeek, content: WrittenWeek, feature: Feature | undefined): Checked<GoverningWeek> => {
  if (week.kind !== 'followed' || !feature) return good(week);
  const checked = validateWeek(content, constraintsOf(feature), week.week);
  return checked.ok ? good({ ...week, written: completeWeek(checked.value, week.week) }) : checked;
};

const endToFill = (atMs: number, { nowMs, zone }: LocalNow): EndToFill => {
  const date = localAt(atMs, zone);
  const isMidnight = instantAt(date, 0, zone) === atMs;
  const nextDay = dateText(isMidnight ? date : addDays(date, 1));
  return { minutes: (atMs - nowMs) / 60_000, day: isMidnight ? nextDay : undefined, nextDay };
};

const END_WORDS = ['now', 'restore', 'keep'] as const;

/**
 * The content of a command on `<feature>/until/set`: the temporary write ends now or at an instant (epoch
 * milliseconds). For values that were changed elsewhere, `restore` ends it now and overwrites them with the
 * former ones; `keep` leaves them.
 */
export type RequestedEnd = { readonly envelope: Envelope; readonly at: (typeof END_WORDS)[number] | number };

/** Reads `now`, `restore`, `keep`, an instant, `next` or a duration from now, bare or in an envelope. */
export const readRequestedEnd = (text: string, here: LocalNow, week?: GoverningWeek): Checked<RequestedEnd> => {
  const isJson = /^\s*[{"]/u.test(text);
  const read = withRightKeys(isJson ? readEnveloped(text) : good({ envelope: {}, value: text, at: '' }));
  if (!read.ok) return read;
  const { envelope, value, at } = read.value;
  if (envelope.end) return bad(broken('two_ends', envelope.end.path, 'the value is already the end here; remove until and for'));
  if (typeof value !== 'string')
    return bad(
      broken('type', at, 'an end is now, restore, keep, or an instant such as "2027-01-03 12:00"', { got: value, allowed: 'string' }),
    );
  const word = END_WORDS.find((one) => one === value.trim().toLowerCase());
  if (word) return good({ envelope, at: word });
  const end = readEitherEnd(value, at, here, week);
  if (end.ok) return good({ envelope, at: end.value });
  const also = '; here also now, restore, keep, or a duration such as 2h';
  return bad(...end.issues.map((issue) => (issue.rule === 'until' ? { ...issue, message: issue.message + also } : issue)));
};
