import type { Feature, Json } from '../../features/feature.ts';
import { callsThatWrite } from '../../features/reverseCommand.ts';
import type { AnswerFacts } from '../../language/answers/answersDe.ts';
import { readWeek } from '../../schedule/readWeek.ts';
import { DAYS, type Week } from '../../schedule/week.ts';
import { schedulerOf } from '../../topics/scheduleCommand.ts';
import { type Allowed, type Decision, isAllowed, notExecutable, type Sending, sendWeek, type Write } from '../commands/evaluate.ts';
import { nameOf, type Part, replacedBy, standingOf, type Temporary } from './temporaryOverride.ts';

const refuse = (code: 'conflict' | 'not_reversible', message: string, facts?: AnswerFacts): Decision => ({
  ...{ kind: 'reject', code, message, mayAge: true },
  ...(facts ? { facts } : {}),
});

/**
 * The command that restores what a temporary write replaced, by the shown feature; several may be needed, one after the other. `unchanged`
 * where all is restored, `conflict` where a part was changed since.
 */
export const revertCommand = ({ parts }: Temporary, feature: Feature, rules: Allowed): Decision => {
  const changed = parts.filter((part) => standingOf(feature, part) === 'other');
  if (changed.length > 0) {
    const names = changed.map(nameOf).join(', ');
    return refuse('conflict', `${names} ${changed.length > 1 ? 'were' : 'was'} changed since by somebody else, so nothing comes back`, {
      about: 'changed_elsewhere',
      names: changed.map(nameOf),
    });
  }
  const missing = parts.filter((part) => standingOf(feature, part) === 'written');
  if (missing.length === 0) return { kind: 'unchanged' };
  const sending = commandsFor(missing, feature, rules);
  const next = sending?.find(({ command }) => feature.commands.get(command)?.isExecutable) ?? sending?.[0];
  const command = next && feature.commands.get(next.command);
  if (!next || !command) return refuse('not_reversible', noCommand(missing, feature));
  return notExecutable(feature, command) ?? next;
};

/** The decision about a write, or a refusal where it has an end and no command can restore what it replaces. */
export const reversible = (decision: Decision, { untilMs }: Pick<Write, 'untilMs'>, feature: Feature, rules: Allowed): Decision => {
  if (untilMs === undefined || decision.kind !== 'send') return decision;
  const parts = decision.effect && replacedBy(decision.effect, feature);
  if (parts && commandsFor(parts, feature, rules)) return decision;
  const unknown = decision.effect
    ? 'it has no value now that could come back'
    : `it is not known which values ${decision.command} replaces`;
  const why = parts ? noCommand(parts, feature) : unknown;
  return refuse('not_reversible', `this cannot end by itself: ${why}; leave until and for out`);
};

const noCommand = (parts: readonly Part[], { name }: Feature): string =>
  `no command of ${name} that may be sent gives ${parts.map(nameOf).join(', ')} back`;

/** All commands that are needed to restore these parts. */
const commandsFor = (parts: readonly Part[], feature: Feature, rules: Allowed): readonly Sending[] | undefined => {
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

// The rules for written weeks are not checked: the platform had these days.
const weekBack = (days: readonly Part[], feature: Feature, mayCall: (command: string) => boolean): readonly Sending[] | undefined => {
  const property = days[0]?.property ?? '';
  const scheduler = schedulerOf(feature);
  const present = readWeek(feature.properties.get(property)?.value);
  const former = readWeek(Object.fromEntries(days.map(({ day = 'mon', former: entries }): [string, Json] => [day, entries])));
  if (!scheduler || !present.ok || !former.ok || !mayCall(scheduler.command)) return undefined;
  const named = DAYS.filter((day) => days.some((part) => part.day === day));
  const week: Week = { ...present.value, ...Object.fromEntries(named.map((day) => [day, former.value[day]])) };
  return [sendWeek(scheduler.command, { param: scheduler.param, property, present: present.value, week, named })];
};
