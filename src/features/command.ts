import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, listed, pointer, shown } from '../shared/issue.ts';
import { dateIssues } from './dateRules.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';
import { numberIssues, textIssues } from './valueRules.ts';

type Arguments = Readonly<Record<string, Json>>;

/**
 * Checks the arguments against every rule of the command (the strict form, docs/topics.md); issues have JSON
 * pointers. checkWeek checks the content of a Schedule. `present` supplies the feature's start, to check an
 * end.
 */
export const checkArguments = (command: Command, args: Arguments, present?: Feature): Issue[] => {
  const names = [...command.params.keys()];
  const issues: Issue[] = [];
  for (const [name, parameter] of command.params) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value !== undefined) issues.push(...valueIssues(name, parameter, value));
    else if (parameter.required) issues.push(broken('required', pointer(name), `${shown(name)} is missing; ${command.name} needs it`));
  }
  for (const [name, got] of Object.entries(args)) if (!command.params.has(name)) issues.push(unknownParameter(command, names, name, got));
  issues.push(...dateIssues(command, args, present));
  return [...listed(issues)];
};

const unknownParameter = (command: Command, allowed: readonly string[], name: string, got: Json): Issue => {
  const message =
    allowed.length > 0
      ? `${command.name} has no parameter ${shown(name)}; it has ${allowed.join(', ')}`
      : `${command.name} takes no parameters; remove ${shown(name)}`;
  return broken('unknown', pointer(name), message, { got, allowed, nearest: nearestWords(name, allowed) });
};

const valueIssues = (name: string, { type, constraints }: Parameter, value: Json): Issue[] => {
  const path = pointer(name);
  const wrong = (wanted: string): Issue[] => [
    broken('type', path, `${shown(name)} must be ${wanted}, not ${typeof value === 'string' ? 'the text ' : ''}${shown(value)}`, {
      got: value,
      allowed: type,
    }),
  ];
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? numberIssues(path, constraints, value) : wrong('a finite number');
    case 'string':
      return typeof value === 'string' ? textIssues(path, constraints, value) : wrong('a text');
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('true or false');
    default:
      return [];
  }
};
