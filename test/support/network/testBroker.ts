import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startMosquitto } from './mosquitto.ts';

/** True in `npm run test:brokers`, which runs some tests of `npm test` again at a real Mosquitto. */
export const AT_MOSQUITTO = process.env['TEST_BROKER'] === 'mosquitto';

/** The versions of MQTT that the broker of this run speaks; the first is what the bridge chooses. */
export const VERSIONS = AT_MOSQUITTO ? (['5', '3.1.1'] as const) : (['3.1.1'] as const);

export type TestBroker = { readonly url: string; readonly port: number; close(): Promise<void> };

/** The broker of this run, without a memory: Mosquitto, or the one that is embedded in the bridge. A second `close` does nothing. */
export const startTestBroker = async (port?: number): Promise<TestBroker> => {
  if (!AT_MOSQUITTO) {
    const broker = await startEmbeddedBroker(port ?? 0);
    let closed: Promise<void> | undefined;
    return {
      ...broker,
      close: () => {
        closed ??= broker.close();
        return closed;
      },
    };
  }
  const broker = await startMosquitto({ config: ['set_tcp_nodelay true'], ...(port === undefined ? {} : { port }) });
  return { url: broker.url, port: broker.port, close: () => broker.stop() };
};
