import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../../src/app.ts';
import { loadSettings, type Sources } from '../../../src/config/load.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { recordingLog, stillHome, storeTokens } from '../../support/system/testSystem.ts';

/** The smallest settings file of the README of 0.1.0: people have it in their homes. */
const OF_0_1_0 = `platform:
  base_url: https://api.example.com
  auth_url: https://iam.example.com
  client_id: your-client-id
  scope: IoT User offline_access
mqtt:
  url: mqtt://localhost:1883
devices:
  - { name: home, installation: 123456, gateway: "7571381699991111", device: "0", features: [heating.circuits.0.heating.schedule] }
`;

const world = async () => {
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const cwd = emptyFolder();
  await storeTokens(join(cwd, 'data'), simulator);
  const { url, installation, gateway } = simulator;
  const filledIn = (text: string): string =>
    text
      .replaceAll(/https:\/\/(?:api|iam)\.example\.com/g, url)
      .replace('your-client-id', 'heating2mqtt-demo')
      .replace('mqtt://localhost:1883', broker.url)
      .replace('123456', String(installation))
      .replace('7571381699991111', gateway);
  const sources: Sources = { file: 'settings.yaml', env: { HEATING2MQTT_DATA_DIR: join(cwd, 'data') }, cwd };
  const write = (text: string): void => writeFileSync(join(cwd, 'settings.yaml'), filledIn(text));
  const checked = async () => {
    const { code, out, err } = await runCommand(['check', '--config', 'settings.yaml'], { cwd, env: sources.env });
    return { code, text: out + err };
  };
  return { simulator, broker, sources, write, checked };
};

const HINT = /^note settings: platform\.base_url is set and platform\.profile is not, which means profile v1/m;

test('the smallest settings file of 0.1.0 still reads with the paths of v1, and check hints at the profile', async () => {
  const { simulator, broker, sources, write, checked } = await world();
  write(OF_0_1_0);
  const recorder = await listen(broker.url);
  const app = await startApp(loadSettings(sources), recordingLog([]));
  onTestFinished(async () => {
    await app.stop();
    await recorder.close();
  });
  await recorder.untilTopic('heating2mqtt/home/heating/circuits/0/heating/schedule/active');
  const paths = simulator.calls().map(({ path }) => path);
  expect(paths.filter((path) => path.includes('/features'))).toEqual([expect.stringContaining('/iot/v1/equipment/')]);
  const { code, text } = await checked();
  expect(code).toBe(0);
  expect(text).toMatch(HINT);
});

test.each(['v1', 'v2'])('check has nothing to hint at where profile: %s is written', async (profile) => {
  const { write, checked } = await world();
  write(OF_0_1_0.replace('platform:\n', `platform:\n  profile: ${profile}\n`));
  const { code, text } = await checked();
  expect(code).toBe(0);
  expect(text).not.toContain('platform.profile');
});

test('without an address and a profile it is the live service, whose devices are found', async () => {
  const { sources, write } = await world();
  write('platform: { client_id: your-client-id }');
  expect(loadSettings(sources)).toMatchObject({
    platform: { profile: 'v2', base_url: 'https://api.viessmann-climatesolutions.com', scope: 'IoT User offline_access' },
    devices: [],
    choices: [],
  });
});
