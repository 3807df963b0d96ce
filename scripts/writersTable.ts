import { PARAMETER_RULES } from '../src/features/effect.ts';
import type { Command, Feature } from '../src/features/feature.ts';
import { parseFeature } from '../src/features/parseFeature.ts';
import { PREFERENCES } from '../src/features/propertyCommands.ts';
import { writingsOf } from '../src/features/writings.ts';
import { defaultHome } from '../src/simulator/home/home.ts';
import { House } from '../src/simulator/home/house.ts';
import { live } from '../src/simulator/living/live.ts';

const RULES: readonly { readonly rule: string; readonly does: string }[] = [
  {
    rule: 'switch',
    does: '`activate` and `deactivate` write `active`, `enable` and `disable` write `enabled`, and `unschedule` makes `active` false',
  },
  ...PARAMETER_RULES,
];

const signature = ({ name, params }: Command): string =>
  `${name}(${[...params].map(([param, { required }]) => (required ? param : `${param}?`)).join(', ')})`;

/** The features of the simulated home, as the platform would send them; the moment only dates the records. */
const homeFeatures = (): readonly Feature[] => {
  const house = new House(defaultHome, 0, 0, live);
  return [...house.devices(), undefined].flatMap((device) =>
    house.records(device).flatMap((record) => {
      const feature = parseFeature(record.show());
      return feature.ok ? [feature.value] : [];
    }),
  );
};

/** Which rule finds the command that writes a property, each with what it finds in the simulated home, and how one of several is chosen. As Markdown. */
export const writersMarkdown = (): string => {
  const found = homeFeatures().flatMap((feature) =>
    writingsOf(feature).map(({ property, command, rule }) => ({ rule, shows: `\`${signature(command)}\` → \`${property}\`` })),
  );
  const rows = RULES.map(({ rule, does }) => {
    const examples = new Set(found.filter((one) => one.rule === rule).map(({ shows }) => shows));
    return `| ${rule} | ${does} | ${[...examples].sort().join('<br>') || '–'} |`;
  });
  const preferences = PREFERENCES.map(({ means }, index) => `${index + 1}. ${means}`);
  return [
    '| rule | which property a command writes | found in the simulated home |',
    '| --- | --- | --- |',
    ...rows,
    '',
    'The first rule that finds something decides. A command that would change another property than those sent is never taken; of those left:',
    '',
    ...preferences,
  ].join('\n');
};
