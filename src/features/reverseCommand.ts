import { isDeepStrictEqual } from 'node:util';
import { checkArguments } from './command.ts';
import { effectOf, targetOf } from './effect.ts';
import type { Command, Feature, Json } from './feature.ts';

type Values = ReadonlyMap<string, Json>;

/** A command with its arguments, its full effect, and the properties that get their wanted value. */
export type Call = {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly effect: Values;
  readonly writes: readonly string[];
};

/**
 * The fewest commands that set these properties to these values and change no other; undefined if there are
 * none. They need not be executable now: a device accepts the command to leave a program only while it is
 * active. `mayCall` excludes forbidden commands.
 */
export const callsThatWrite = (feature: Feature, wanted: Values, mayCall: (command: string) => boolean): readonly Call[] | undefined => {
  const possible = [...feature.commands.values()]
    .filter(({ name }) => mayCall(name))
    .flatMap((command) => callOf(feature, command, wanted))
    .sort((a, b) => b.writes.length - a.writes.length || Object.keys(a.args).length - Object.keys(b.args).length);
  const calls: Call[] = [];
  for (let missing = [...wanted.keys()]; missing.length > 0; ) {
    const [best] = possible
      .map((call) => ({ call, brings: missing.filter((name) => call.writes.includes(name)).length }))
      .sort((a, b) => b.brings - a.brings);
    if (!best || best.brings === 0) return undefined;
    calls.push(best.call);
    missing = missing.filter((name) => !best.call.writes.includes(name));
  }
  return calls;
};

/** The command with all wanted parameters; empty if it would change another property too. */
const callOf = (feature: Feature, command: Command, wanted: Values): readonly Call[] => {
  const args: Record<string, Json> = {};
  for (const [name, parameter] of command.params) {
    const { required } = parameter;
    const target = targetOf(feature, command, name, parameter)?.property;
    const value = target === undefined ? undefined : (wanted.get(target) ?? (required ? feature.properties.get(target)?.value : undefined));
    if (value !== undefined) args[name] = value;
    else if (required) return [];
  }
  const effect = effectOf(feature, command, args);
  if (!effect || checkArguments(command, args).length > 0) return [];
  const isRight = [...effect].every(([name, value]) =>
    isDeepStrictEqual(value, wanted.has(name) ? wanted.get(name) : feature.properties.get(name)?.value),
  );
  const writes = [...effect.keys()].filter((name) => wanted.has(name));
  return isRight && writes.length > 0 ? [{ command: command.name, args, effect, writes }] : [];
};
