import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../../support/network/freePort.ts';
import { end, launch, startMosquitto, until } from '../processes.ts';

type Node = Record<string, unknown>;
type NodeRed = { readonly mqttUrl: string; readonly url: string; readonly log: string; readonly pids: readonly number[] };

const start = async (): Promise<NodeRed> => {
  const installed = execFileSync(join(import.meta.dirname, 'setup'), { encoding: 'utf8' }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'node-red-run-'));
  const userDir = join(folder, 'user');
  mkdirSync(userDir);
  const [mqttPort, uiPort] = [await freePort(), await freePort()];
  const settings = {
    ...{ flowFile: 'flows.json', credentialSecret: false, uiHost: '127.0.0.1', uiPort, mqttReconnectTime: 1000 },
    ...{ telemetry: { enabled: false, updateNotification: false }, diagnostics: { enabled: false } },
    ...{ externalModules: { autoInstall: false }, logging: { console: { level: 'info', metrics: false, audit: false } } },
  };
  writeFileSync(join(userDir, 'settings.js'), `module.exports = ${JSON.stringify(settings)};`);
  writeFileSync(join(userDir, 'flows.json'), '[]');
  const mosquitto = await startMosquitto(folder, mqttPort);
  const log = join(folder, 'node-red.log');
  const red = join(installed, 'node_modules/node-red/red.js');
  const pid = launch(process.execPath, [red, '-s', join(userDir, 'settings.js'), '-u', userDir], log, userDir);
  await until('Node-RED', pid, log, () => existsSync(log) && readFileSync(log, 'utf8').includes('Started flows'));
  return { mqttUrl: `mqtt://127.0.0.1:${mqttPort}`, url: `http://127.0.0.1:${uiPort}`, log, pids: [pid, mosquitto] };
};

const post = async (address: string, body: object, headers = {}): Promise<void> => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
};

/** Replaces all flows, with this broker in them; resolves when each broker of theirs is connected. */
const deploy = async ({ url, mqttUrl, log, pids: [pid = 0] }: NodeRed, file: string): Promise<void> => {
  const nodes: readonly Node[] = JSON.parse(readFileSync(file, 'utf8'));
  const { hostname: broker, port } = new URL(mqttUrl);
  const flows = nodes.map((node) => (node['type'] === 'mqtt-broker' ? { ...node, broker, port, usetls: false } : node));
  const from = readFileSync(log, 'utf8').length;
  await post(`${url}/flows`, { flows }, { 'Node-RED-API-Version': 'v2', 'Node-RED-Deployment-Type': 'full' });
  const brokers = flows.filter(({ type }) => type === 'mqtt-broker').length;
  const seen = (): string => readFileSync(log, 'utf8').slice(from);
  await until(
    'the flows',
    pid,
    log,
    () => seen().includes('Started flows') && (seen().match(/Connected to broker/g) ?? []).length >= brokers,
  );
};

const [command, first = '', payload] = process.argv.slice(2);
const running = (file: string): NodeRed => JSON.parse(readFileSync(file, 'utf8'));
const given = process.env['NR_JSON'] ?? '';

if (command === 'start') console.log(JSON.stringify(await start()));
else if (command === 'deploy') await deploy(running(given), first);
else if (command === 'inject') {
  const props = [{ p: 'payload', v: payload, vt: 'json' }];
  await post(`${running(given).url}/inject/${first}`, payload === undefined ? {} : { __user_inject_props__: props });
} else if (command === 'stop') {
  const { pids, log } = running(first);
  for (const pid of pids) await end(pid);
  rmSync(dirname(log), { recursive: true });
} else throw new Error(`nr.mjs has no ${command}`);
