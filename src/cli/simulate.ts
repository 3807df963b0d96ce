import { resolve } from 'node:path';
import { messageOf, UsageError } from '../shared/errors.ts';
import { REDIRECT_URIS, type Simulator, type SimulatorOptions, startSimulator } from '../simulator/simulator.ts';
import type { Io } from './terminal/io.ts';

/** Options of `heating2mqtt simulate`; `lagS` in seconds. */
export type SimulateOptions = Pick<SimulatorOptions, 'port' | 'recorded' | 'wrapped' | 'v1Retired' | 'furtherGateways' | 'clientId'> & {
  readonly lagS?: number | undefined;
  readonly redirectUri?: string | undefined;
};

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;

const start = async ({ recorded, lagS = 0, redirectUri, ...options }: SimulateOptions, cwd: string): Promise<Simulator> => {
  try {
    return await startSimulator({
      ...options,
      effectDelayMs: lagS * 1000,
      redirectUris: redirectUri === undefined ? REDIRECT_URIS : [...REDIRECT_URIS, redirectUri],
      recorded: recorded === undefined ? undefined : resolve(cwd, recorded),
    });
  } catch (error) {
    const { port } = options;
    if (hasCode(error, 'EADDRINUSE')) throw new UsageError('usage', `Port ${port} is taken; without --port any free one is used.`);
    if (hasCode(error, 'EACCES') && port !== undefined)
      throw new UsageError('usage', `Port ${port} may not be used by you; take one over 1023.`);
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
    'or, where devices are found by themselves:',
    `  platform: { profile: v2, base_url: ${url}, auth_url: ${url}, client_id: ${clientId} }`,
    '',
    'A read, with a token that is good for an hour:',
    `  curl -H 'Authorization: Bearer ${access_token}' ${features}`,
    '',
    'Faults, and back; the calls it got:',
    control({ command: 'fault', kind: 'gateway_offline', times: 3 }),
    control({ command: 'clear' }),
    `  curl ${url}/control/calls`,
    '',
    'Ctrl-C stops it.',
  ].join('\n');
};

/** `heating2mqtt simulate`: the simulated platform, until a signal ends it. */
export const simulate = async (options: SimulateOptions, io: Pick<Io, 'out' | 'cwd' | 'untilSignal'>): Promise<number> => {
  const simulator = await start(options, io.cwd);
  const stopped = io.untilSignal();
  io.out(introduction(simulator, options.clientId));
  await stopped;
  await simulator.close();
  return 0;
};
