import { expect, test } from 'vitest';
import { featureOwner } from '../../../../src/bridge/publish/broker/topicOwnership.ts';
import { valueSeries } from '../../../../src/bridge/state/valueSeries.ts';
import { readHints } from '../../../../src/cli/schedule/readHints.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { propertyTopic } from '../../../../src/topics/topicNames.ts';
import { MEASURED_ZONE, measuredState } from '../../../support/schedules/measuredHome.ts';
import { day } from '../../../support/schedules/weeks.ts';
import { storageRuns } from '../../../support/system/database.ts';

const FEATURE = 'heating.dhw.pumps.circulation.schedule';
const PLACES = [
  ['asked', FEATURE, 'now'],
  ['state', 'heating.dhw.pumps.circulation', 'status'],
] as const;
const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };
const { now, points } = measuredState(Array.from({ length: 6 }, () => [[600, 20]] as const));

const hintsIn = async (dataDir: string): Promise<readonly string[]> => {
  const constraints = { modes: ['on'], defaultMode: 'off', resolution: 10, maxEntries: 4 } as never;
  const entries = weekOf(() => day('06:00-08:00 on'));
  const schedule = { device: 'home', feature: FEATURE, entries, active: true, writable: true, constraints };
  const client = { readRetained: async () => undefined, payloads: new Map() } as never;
  const zones = new Map([['home', MEASURED_ZONE]]);
  const ids = new Map([['home', DEVICE]]);
  const hints = await readHints(client, { mqtt: { base: 'heat' }, data_dir: dataDir }, [schedule], { zones, ids }, now);
  return hints.flat().map(({ key }) => key);
};

test('what was measured is told where the bridge keeps its values on this machine, also while it runs, and not elsewhere', async () => {
  const { dir, start, end } = storageRuns();
  const { series, flush } = start();
  const wanted = new Map<string, { payload: string; owner: string }>();
  let atMs = 0;
  const kept = valueSeries(14, { ...series, read: () => [] }, { wanted }, { now: () => atMs });
  for (const [key, feature, property] of PLACES) {
    const topic = propertyTopic('heat', 'home', feature, property);
    for (const [at, value] of points[key] ?? []) {
      atMs = at;
      wanted.set(topic, {
        payload: key === 'state' ? (['off', 'on'][Number(value)] ?? '') : String(value),
        owner: featureOwner(DEVICE, feature),
      });
      kept.note([topic]);
      // Of points that wait only those of a day are kept.
      flush();
    }
  }
  expect(await hintsIn(dir)).toContain('ran_outside');
  end();
  expect(await hintsIn(dir)).toContain('ran_outside');
  expect(await hintsIn(`${dir}/elsewhere`)).not.toContain('ran_outside');
});
