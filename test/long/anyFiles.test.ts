import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startApp } from '../../src/app.ts';
import type { Settings } from '../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { type Spoil, spoiled, spoils } from '../support/devices/spoiled.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { barrier, terminalFor } from '../support/schedules/writing.ts';
import { inDatabase, putValues, valuesIn, writesIn } from '../support/system/database.ts';
import { recordingLog, SCHEDULE_TOPIC, stillHome, storeTokens, tempDir, testSettings } from '../support/system/testSystem.ts';

const RUNS = 60;
/** All that has a schedule, a climate and a curve, and no more. */
const FEATURES = ['heating.circuits.0.*', 'heating.circuits.0', 'heating.dhw.schedule'];
const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve';
const CLIMATE = 'heating2mqtt/home/heating/circuits/0/climate';

/** A data folder in which everything lies that a bridge can keep, with a write under way. */
const fullFolder = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const root = tempDir();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const settingsIn = (dir: string): Settings =>
    testSettings(
      simulator,
      broker.url,
      dir,
      {},
      { platform: { profile: 'v2', login_over_mqtt: true }, choices: [{ name: 'home', device: '0', features: FEATURES, exclude: [] }] },
    );
  const [running, dir] = [join(root, 'running'), join(root, 'full')];
  const loggedOut = await startApp(settingsIn(running), recordingLog([]));
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/auth' && payload.includes('login_url'));
  const login = valuesIn(running, 'logins').get('pending');
  await loggedOut.stop();

  await storeTokens(running, simulator);
  const from = recorder.heard.length;
  const first = await startApp(settingsIn(running), recordingLog([]));
  await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
  // What waits in memory is written at a clean end.
  await first.stop();
  const restarted = recorder.heard.length;
  const bridge = await startApp(settingsIn(running), recordingLog([]));
  await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, restarted);
  const write = async (topic: string, payload: string): Promise<void> => {
    const before = recorder.heard.length;
    await recorder.publish(topic, payload);
    expect([topic, await terminalFor(recorder, topic, before)]).toMatchObject([topic, { status: 'applied' }]);
  };
  await write(`${SCHEDULE_TOPIC}/set`, 'mon-fri 6-8:30 normal');
  await write(`${SCHEDULE_TOPIC}/set`, JSON.stringify({ value: 'sat,sun none', for: '10h' }));
  await write(`${CURVE}/call/setCurve`, JSON.stringify({ value: { slope: 1.9, shift: 1 }, for: '10h' }));
  await write(`${CLIMATE}/preset/set`, 'comfort');
  await write(`${CLIMATE}/target/set`, '23');
  simulator.control({ command: 'lag', ms: 60_000 });
  await recorder.publish(`${CURVE}/call/setCurve`, '{"value":{"slope":2.2,"shift":2},"for":"9h"}');
  await vi.waitFor(() => expect(JSON.stringify(writesIn(running))).toContain('"slope":2.2'), 40_000);
  // As a killed process leaves them.
  cpSync(running, dir, { recursive: true, filter: (path) => !path.includes('bridge.sock') });
  await bridge.stop();
  simulator.control({ command: 'lag', ms: 0 });
  putValues(dir, 'logins', { pending: login ?? {} });
  // A feature that was listed no more.
  const facts = JSON.stringify({ reads: [], absences: { 'heating.gone': { since_ms: 1, reads: 1 } } });
  inDatabase(dir, (database) =>
    database.prepare('INSERT OR REPLACE INTO devices (key, value) SELECT DISTINCT device, ? FROM features').run(facts),
  );
  return { dir, root, recorder, settingsIn, simulator };
};

/** A file of the folder, or a column of the database whose text is spoiled in one row. */
const PLACES = [
  'tokens.json',
  'heating2mqtt.db',
  ...['composites.value', 'documents.value', 'inventory.value', 'logins.value', 'writes.facts', 'writes.facts'],
  ...['features.record', 'writes.facts', 'devices.value', 'meta.value', 'published_topics.owner', 'published_topics.topic'],
];

/** The bytes of the database come last: its rows cannot be read after that. */
const rowsFirst = ([place]: readonly [place: string, spoil: Spoil]): number => Number(place === 'heating2mqtt.db');

/** Few at a time: what one place holds is looked at only where the others say that the device is there. */
const somePlaces: fc.Arbitrary<readonly (readonly [place: string, spoil: Spoil])[]> = fc
  .array(fc.tuple(fc.constantFrom(...PLACES), spoils), { minLength: 1, maxLength: 2 })
  .map((places) => places.flatMap(([place, list]) => list.map((spoil) => [place, spoil] as const)))
  .map((all) => all.toSorted((one, other) => rowsFirst(one) - rowsFirst(other)));

/** The texts of a place: of a file, or of a column of the database. */
const textsIn = (dir: string, place: string): readonly string[] => {
  const [table = '', column = ''] = place.split('.');
  if (existsSync(join(dir, place))) return [readFileSync(join(dir, place), 'latin1')];
  return inDatabase(dir, (database) => database.prepare(`SELECT ${column} AS text FROM ${table}`).all()).map(({ text }) => String(text));
};

const shareOf = (how: Spoil): number => ('share' in how ? how.share : 'line' in how ? how.line : 0);

/** A database has no lines: where a line would be spoiled, a stretch of its bytes is. */
const spoiledBytes = (bytes: Buffer, how: Spoil): Buffer => {
  const at = Math.floor(shareOf(how) * bytes.length);
  if (how.how === 'cut') return bytes.subarray(0, at);
  if (how.how === 'whole') return Buffer.from(how.text);
  return how.how === 'byte'
    ? bytes.fill(how.byte, at, Math.min(at + 1, bytes.length))
    : bytes.fill(0xff, at, Math.min(at + 300, bytes.length));
};

const spoil = (dir: string, place: string, how: Spoil): void => {
  const file = join(dir, place);
  if (place === 'tokens.json') writeFileSync(file, spoiled(readFileSync(file, 'utf8'), how));
  else if (place === 'heating2mqtt.db') writeFileSync(file, spoiledBytes(readFileSync(file), how));
  else spoilColumn(dir, place, how);
};

const spoilColumn = (dir: string, place: string, how: Spoil): void => {
  const [table = '', column = ''] = place.split('.');
  const texts = textsIn(dir, place);
  const text = texts[Math.floor(shareOf(how) * texts.length)] ?? '';
  inDatabase(dir, (database) => {
    const put = database.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE ${column} = ?`);
    put.run(spoiled(text, how).toString('utf8'), text);
  });
};

test(
  'whatever stands in the files of data_dir, the bridge starts, answers, and stops',
  async () => {
    const { dir, root, recorder, settingsIn } = await fullFolder();
    for (const place of PLACES) expect([place, textsIn(dir, place).length]).toEqual([place, expect.toSatisfy((texts) => texts > 0)]);
    const faults: unknown[] = [];
    const note = (fault: unknown): void => void faults.push(fault);
    for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(kind, note);
      onTestFinished(() => void process.off(kind, note));
    }
    let run = 0;
    const starts = async (spoils: readonly (readonly [place: string, spoil: Spoil])[], hasTokens = true): Promise<void> => {
      run += 1;
      const copy = join(root, String(run));
      cpSync(dir, copy, { recursive: true });
      for (const [place, how] of spoils) spoil(copy, place, how);
      // A login that waits is looked at where there are no tokens.
      if (!hasTokens) rmSync(join(copy, 'tokens.json'));
      const from = recorder.heard.length;
      const logged: Parameters<typeof recordingLog>[0] = [];
      const app = await startApp(settingsIn(copy), recordingLog(logged));
      try {
        await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/state' && payload === 'online', from);
        await recorder.publish('heating2mqtt/bridge/poll/set', '');
        await recorder.publish(`${SCHEDULE_TOPIC}/undo/set`, 'x');
        await barrier({ recorder });
        app.status();
      } finally {
        await app.stop();
      }
      expect(faults).toEqual([]);
      expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
      rmSync(copy, { recursive: true });
    };
    await starts([]);
    await fc.assert(
      fc.asyncProperty(somePlaces, fc.nat(9), (all, nth) => starts(all, nth > 0)),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  60_000 + RUNS * 2000,
);
