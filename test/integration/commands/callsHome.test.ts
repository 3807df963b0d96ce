import { describe, expect, test } from 'vitest';
import { defaultHome, type HomeCommand, type HomeFeature, type HomeParam } from '../../../src/simulator/home/home.ts';
import { daily, weekText } from '../../support/schedules/weeks.ts';
import { sharedSystem, write } from '../../support/schedules/writing.ts';

const { installation, gateway, devices } = defaultHome;
const NAMES: Readonly<Record<string, string>> = { '0': 'home', 'RoomControl-1': 'rooms' };

const system = sharedSystem({
  overrides: {
    commands: { fresh_s: 0, confirm_s: [0.01, 0.1, 1] },
    devices: Object.entries(NAMES).map(([device, name]) => ({
      ...{ name, installation: String(installation), gateway, device, features: ['*'], exclude: [] },
    })),
  },
});

type Row = {
  readonly device: string;
  readonly feature: string;
  readonly of: HomeFeature;
  readonly name: string;
  readonly command: HomeCommand;
};

const ROWS: readonly Row[] = Object.entries(devices).flatMap(([device, { features }]) =>
  Object.entries(features).flatMap(([feature, of]) =>
    Object.entries(of.commands ?? {}).map(([name, command]) => ({ device, feature, of, name, command })),
  ),
);

const DENIED = /^(?:add|move|remove)/;
const never = ({ command }: Row): boolean => command.isExecutable === false;
const denied = ({ name }: Row): boolean => DENIED.test(name);
const label = ({ device, feature, name }: Row): string => `${device} ${feature}/${name}`;
const labelled = (rows: readonly Row[]): [string, Row][] => rows.map((row) => [label(row), row]);

const topicOf = ({ device, feature, name }: Row): string => `heating2mqtt/${NAMES[device]}/${feature.replaceAll('.', '/')}/call/${name}`;

/** Legal values, of which any two differ. */
const legalValues = (name: string, { type, constraints = {} }: HomeParam): readonly unknown[] => {
  const { enum: choices, min, stepping, modes, regEx = '' } = constraints;
  const [first, step] = [Number(min ?? 0), Number(stepping ?? 1)];
  if (Array.isArray(choices)) return choices;
  if (type === 'Schedule') return [daily(`09:00-10:00 ${Array.isArray(modes) ? modes[0] : ''}`)];
  if (type === 'number') return [0, 1, 2, 3].map((steps) => Number((first + steps * step).toFixed(6)));
  if (type === 'boolean') return [true, false];
  if (String(regEx).includes('{4}')) return name === 'start' ? ['2027-02-03', '2027-02-04'] : ['2027-02-13', '2027-02-14'];
  return String(regEx).includes('{2}') ? ['28-03', '29-03'] : [`One ${name}`, `Other ${name}`];
};

/** Arguments of which none is a value that the feature shows now. */
const argumentsFor = ({ device, feature, of, command }: Row): Readonly<Record<string, unknown>> => {
  const path = `heating2mqtt/${NAMES[device]}/${feature.replaceAll('.', '/')}`;
  const shown = new Set(Object.keys(of.properties ?? {}).map((property) => system().recorder.last(`${path}/${property}`)));
  return Object.fromEntries(
    Object.entries(command.params ?? {}).map(([name, param]) => [
      name,
      legalValues(name, param).find((value) => !shown.has(String(value))),
    ]),
  );
};

const SWITCHED: Readonly<Record<string, readonly [property: string, before: boolean]>> = {
  activate: ['active', false],
  deactivate: ['active', true],
  enable: ['enabled', false],
  disable: ['enabled', true],
  setActive: ['active', false],
};

/** Brings the feature to where the command can be executed and changes something; the bridge reads it before it sends. */
const makeReady = ({ device, feature, of, name, command }: Row): void => {
  const when = Object.entries(command.when ?? {}).map(([property, is]) => [property, typeof is === 'object' ? '2027-01-01' : is] as const);
  const [property, before] = SWITCHED[name] ?? [];
  const switched = property !== undefined && of.properties?.[property] ? [[property, before] as const] : [];
  for (const [key, value] of [...when, ...switched]) system().simulator.control({ command: 'set', device, feature, property: key, value });
};

describe('every command of the home', () => {
  test.each(labelled(ROWS.filter((row) => !never(row) && !denied(row))))('%s', async (_, row) => {
    makeReady(row);
    const args = argumentsFor(row);
    const payload = Object.keys(args).length > 0 ? JSON.stringify(args) : 'go';
    const { terminal, posts } = await write(system(), topicOf(row), payload);
    const { device, feature, name } = row;
    expect(terminal).toMatchObject({ status: 'applied', device: NAMES[device], feature, command: name, topic: topicOf(row) });
    const isWeek = Object.hasOwn(args, 'newSchedule');
    const body = isWeek ? `{"newSchedule":${weekText(JSON.parse(payload).newSchedule)}}` : JSON.stringify(args);
    const path = `/iot/v1/equipment/installations/${installation}/gateways/${gateway}/devices/${device}/features/${feature}/commands/${name}`;
    expect(posts.map((post) => [post.path, post.body])).toEqual([[path, body]]);
  });

  test.each(labelled(ROWS.filter(never)))('%s cannot be executed, and is not sent', async (_, row) => {
    const { terminal, posts } = await write(system(), topicOf(row), JSON.stringify(argumentsFor(row)));
    expect(terminal).toMatchObject({ status: 'rejected', code: 'not_executable', feature: row.feature, command: row.name });
    expect(posts).toEqual([]);
  });

  test.each(labelled(ROWS.filter(denied)))('%s is forbidden by default, and is not sent', async (_, row) => {
    const { terminal, posts } = await write(system(), topicOf(row), JSON.stringify(argumentsFor(row)));
    expect(terminal).toMatchObject({ status: 'rejected', code: 'forbidden', feature: row.feature, command: row.name });
    expect(terminal.message).toContain('commands.deny');
    expect(posts).toEqual([]);
  });
});
