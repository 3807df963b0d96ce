import type { Command, Feature, Parameter, Property } from './feature.ts';

/** The feature as a record that `parseFeature` understands: without the timestamp, which changes with every report, and without issues. */
export const recordOf = ({ name, gateway, device, isEnabled, isReady, properties, commands, deprecated }: Feature): object => ({
  feature: name,
  gatewayId: gateway,
  ...(device === undefined ? {} : { deviceId: device }),
  isEnabled,
  isReady,
  properties: Object.fromEntries<Property>(properties),
  commands: Object.fromEntries([...commands].map(([word, command]) => [word, commandOf(command)])),
  ...(deprecated ? { deprecated } : {}),
});

const commandOf = ({ isExecutable, params }: Command): object => ({ isExecutable, params: Object.fromEntries<Parameter>(params) });
