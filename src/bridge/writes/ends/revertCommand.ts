import { runsToItsEnd } from '../../../features/commandEnd.ts';
import { effectOf } from '../../../features/effect.ts';
import type { Feature, Json } from '../../../features/feature.ts';
import { callsThatWrite } from '../../../features/reverseCommand.ts';
import type { AnswerFacts } from '../../../language/answers/answersDe.ts';
import { readWeek } from '../../../schedule/readWeek.ts';
import { DAYS, type Week } from '../../../schedule/week.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import { type Allowed, type Decision, isAllowed, notExecutable, type PlannedWrite, type Sending, sendWeek } from '../parse/evaluate.ts';
import type { About } from '../request/commandRequest.ts';
import { asItStands, type InForce, nameOf, type PartInForce, replacedBy } from '../write/end.ts';
import { isChanging, standingOf } from '../write/shown.ts';
import type { End, EndPart } from '../write/write.ts';

const notReversible = (message: string): Decision => ({ kind: 'reject', code: 'not_reversible', message, mayAge: true });

/**
 * The next command that restores what a temporary write replaced; several may be needed in turn. Parts that
 * were changed elsewhere stay, unless `over` is true. `unchanged`: all is restored. `conflict`: only such
 * parts are left.
 */
export const revertCommand = (end: Pick<InForce, 'parts'>, feature: Feature, rules: Allowed, over = false): Decision => {
  const parts = end.parts.map((part) => asItStands(part, feature));
  const changed = over ? [] : parts.filter((part) => standingOf(feature, part) === 'other');
  // A value that is not shown yet would arrive after its end, and stay.
  const mayComeLate = (part: PartInForce): boolean => part.unseen !== undefined && isChanging(part);
  const missing = parts.filter((part) => (mayComeLate(part) || standingOf(feature, part) !== 'before') && !changed.includes(part));
  const names = changed.map(nameOf);
  if (missing.length === 0 && names.length > 0) return { kind: 'reject', code: 'conflict', mayAge: true, ...changedSince(names) };
  if (missing.length === 0) return { kind: 'unchanged' };
  const sending = commandsFor(missing, feature, rules);
  const next = sending?.find(({ command }) => feature.commands.get(command)?.isExecutable) ?? sending?.[0];
  const command = next && feature.commands.get(next.command);
  if (!next || !command) return notReversible(noCommand(missing, feature));
  return notExecutable(feature, command) ?? next;
};

/** The message about parts that stay because they were changed elsewhere. */
export const changedSince = (names: readonly string[]): { readonly message: string; readonly facts: AnswerFacts } => {
  const [were, stay] = names.length > 1 ? ['were', 'they stay as they are'] : ['was', 'it stays as it is'];
  return {
    message: `${names.join(', ')} ${were} changed elsewhere since then, so ${stay}`,
    facts: { about: 'changed_since', names },
  };
};

/** The refusal of a temporary write that no command can revert. */
export const irreversible = (
  decision: Decision,
  { untilMs }: Pick<PlannedWrite, 'untilMs'>,
  feature: Feature,
  rules: Allowed,
): Decision | undefined => {
  if (untilMs === undefined || decision.kind !== 'send') return undefined;
  const parts = decision.effect && replacedBy(decision.effect, feature);
  if (parts && commandsFor(parts, feature, rules)) return undefined;
  const unknown = decision.effect ? 'it has no current value to restore' : `it is not known which values ${decision.command} replaces`;
  const why = parts ? noCommand(parts, feature) : unknown;
  return notReversible(`this cannot be temporary: ${why}; send it without until and for`);
};

const noCommand = (parts: readonly EndPart[], { name }: Feature): string =>
  `no allowed command of ${name} can restore ${parts.map(nameOf).join(', ')}`;

type Asked = Partial<Pick<PlannedWrite, 'content'>> & Pick<About, 'command'>;

/** Another end for a running program that the device would end later; undefined if that is impossible. */
export const endOfProgram = (write: Asked, feature: Feature, untilMs: number, rules: Allowed): End | undefined => {
  if (!isBegunBy(write, feature)) return undefined;
  const parts = [{ property: 'active', written: true, former: false }];
  return runsToItsEnd(feature) && commandsFor(parts, feature, rules) ? { untilMs, parts } : undefined;
};

/** True where the write would begin the program, or addresses a composite that has the program. */
const isBegunBy = ({ content, command = '' }: Asked, feature: Feature): boolean => {
  const begins = feature.commands.get(command);
  if (content?.kind !== 'arguments' || !begins) return content === undefined;
  return (content.chosen ? content.chosen.effect : effectOf(feature, begins, content.args))?.get('active') === true;
};

/** All commands that restore these parts. */
const commandsFor = (parts: readonly EndPart[], feature: Feature, rules: Allowed): readonly Sending[] | undefined => {
  const mayCall = (command: string): boolean => isAllowed(rules, feature.name, command);
  const days = parts.filter(({ day }) => day !== undefined);
  const others = parts.filter(({ day }) => day === undefined);
  const week = days.length === 0 ? [] : weekBack(days, feature, mayCall);
  const calls = callsThatWrite(feature, new Map(others.map(({ property, former }) => [property, former])), mayCall);
  if (!week || !calls) return undefined;
  return [
    ...week,
    ...calls.map(({ command, args, effect }): Sending => ({ kind: 'send', command, args, effect: { values: effect }, completed: true })),
  ];
};

// Rules for written weeks do not apply: the platform itself had these days.
const weekBack = (days: readonly EndPart[], feature: Feature, mayCall: (command: string) => boolean): readonly Sending[] | undefined => {
  const property = days[0]?.property ?? '';
  const scheduler = schedulerOf(feature);
  const present = readWeek(feature.properties.get(property)?.value);
  const former = readWeek(Object.fromEntries(days.map(({ day = 'mon', former: entries }): [string, Json] => [day, entries])));
  if (!scheduler || !present.ok || !former.ok || !mayCall(scheduler.command)) return undefined;
  const named = DAYS.filter((day) => days.some((part) => part.day === day));
  const week: Week = { ...present.value, ...Object.fromEntries(named.map((day) => [day, former.value[day]])) };
  const sending = sendWeek(scheduler.command, { param: scheduler.param, property, present: present.value, week, named });
  // Days that seem restored count too: the platform may lag.
  return [sending.effect ? { ...sending, effect: { ...sending.effect, days: named } } : sending];
};
