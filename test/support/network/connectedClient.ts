import { onTestFinished } from 'vitest';
import { BrokerClient } from '../../../src/mqtt/client.ts';
import type { BrokerOptions, Version } from '../../../src/mqtt/connect.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { recordingLog } from '../system/testSystem.ts';

type Logged = { level: string; facts: object; sentence: string };

/**
 * The bridge's client at a broker, with what it says and does. `speed`: how fast its time passes, but for its pauses; `begin`: what each
 * connection begins with; `contested`: what follows where another client has its id. It ends with the test.
 */
export const connectedClient = (
  options: Partial<BrokerOptions> & { readonly url: string },
  speed = 1,
  begin: (client: BrokerClient) => Promise<void> = async () => undefined,
  contested: (client: BrokerClient) => boolean = () => false,
) => {
  const logged: Logged[] = [];
  const versions: Version[] = [];
  /** The pauses asked for; none takes longer here than 50 ms. */
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    elapsedMs: () => systemClock.elapsedMs() * speed,
    sleep: (ms, signal) => {
      pauses.push(ms);
      return systemClock.sleep(Math.min(ms, 50), signal);
    },
  };
  let ends = 0;
  const client = new BrokerClient({ clientId: 'test', version: 'auto', ...options }, clock, recordingLog(logged));
  onTestFinished(() => client.stop());
  client.start({
    connected: (version) => {
      versions.push(version);
      return begin(client);
    },
    disconnected: () => {
      ends += 1;
    },
    message: () => undefined,
    contested: () => contested(client),
  });
  const warned = (): Logged[] => logged.filter(({ level }) => level === 'warn' || level === 'error');
  return { client, logged, warned, versions, pauses, ends: () => ends };
};
