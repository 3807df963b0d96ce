import { resolve } from 'node:path';
import { codeOf, messageOf, UsageError } from '../shared/errors.ts';
import { REDIRECT_URIS, type Simulator, startSimulator } from '../simulator/simulator.ts';
import { numberIn, text, type Values } from './command.ts';
import type { Io } from './terminal/io.ts';

const start = async (values: Values, cwd: string): Promise<Simulator> => {
  const [recorded, redirectUri] = [text(values, 'recorded'), text(values, 'redirect-uri')];
  const port = numberIn(values, 'port', 0, 65_535);
  const options = {
    port,
    effectDelayMs: (numberIn(values, 'lag', 0, 86_400, false) ?? 0) * 1000,
    furtherGateways: numberIn(values, 'more-gateways', 0, 20),
    recorded: recorded === undefined ? undefined : resolve(cwd, recorded),
    clientId: text(values, 'client-id'),
    redirectUris: redirectUri === undefined ? REDIRECT_URIS : [...REDIRECT_URIS, redirectUri],
    wrapped: values.wrapped === true,
    v1Retired: values['retire-v1'] === true,
  };
  try {
    return await startSimulator(options);
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE')
      throw new UsageError('usage', `Port ${port} is in use; choose another one, or leave out --port for any free port.`);
    if (codeOf(error) === 'EACCES' && port !== undefined)
      throw new UsageError('usage', `This user may not listen on port ${port}; choose a port above 1023.`);
    if (recorded !== undefined) throw new UsageError('usage', `--recorded ${recorded} cannot be served: ${messageOf(error)}`);
    throw error;
  }
};

const introduction = (simulator: Simulator, clientId = 'heating2mqtt-demo'): string => {
  const { url, installation, gateway, gateways, served, devices, issueTokens } = simulator;
  const { access_token } = issueTokens();
  const features = `${url}/iot/v1/equipment/installations/${installation}/gateways/${gateway}/devices/${devices[0]}/features`;
  const control = (command: object): string => `  curl ${url}/control -H 'Content-Type: application/json' -d '${JSON.stringify(command)}'`;
  return [
    `The simulated platform is at ${url}`,
    '',
    `Installation ${installation}, gateway ${gateway}${gateways
      .slice(1)
      .map((other) => ` (and ${other})`)
      .join('')}, devices:`,
    ...served.map(
      ({ device, features: count, source }) => `  ${device} (${count} features${source === undefined ? '' : `, from ${source}`})`,
    ),
    '',
    'Settings for it:',
    `  platform: { base_url: ${url}, auth_url: ${url}, client_id: ${clientId} }`,
    `  devices: [{ name: home, installation: ${installation}, gateway: "${gateway}", device: "${devices[0]}", features: ["*"] }]`,
    'or, with discovery of devices:',
    `  platform: { profile: v2, base_url: ${url}, auth_url: ${url}, client_id: ${clientId} }`,
    '',
    'A read, with a token that is valid for one hour:',
    `  curl -H 'Authorization: Bearer ${access_token}' ${features}`,
    '',
    'Make a fault, end it, and show the calls received:',
    control({ command: 'fault', kind: 'gateway_offline', times: 3 }),
    control({ command: 'clear' }),
    `  curl ${url}/control/calls`,
    '',
    'Ctrl-C stops it.',
  ].join('\n');
};

/** `heating2mqtt simulate`: runs the simulated platform until a signal ends it. */
export const simulate = async (values: Values, io: Pick<Io, 'out' | 'cwd' | 'untilSignal'>): Promise<number> => {
  const simulator = await start(values, io.cwd);
  const stopped = io.untilSignal();
  io.out(introduction(simulator, text(values, 'client-id')));
  await stopped;
  await simulator.close();
  return 0;
};
