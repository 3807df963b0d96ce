import { expect, test } from 'vitest';
import { terminalFor } from '../../support/schedules/writing.ts';
import { CANARY_TOPIC } from '../../support/system/outcome.ts';
import { loggedBy, processSystem } from '../../support/system/processSystem.ts';

const CALL = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';

// A disk that becomes full, one that gets room again, and one that is a disk of its own: test/long/fullDisk.test.ts.
test.runIf(process.platform !== 'win32')(
  'a start on a disk that is full: the bridge shows and writes values, and says once what is missing',
  async () => {
    const { recorder, started } = await processSystem();
    const bridge = await started({ isDiskFull: true });
    await recorder.untilTopic(CANARY_TOPIC);
    const from = recorder.heard.length;
    await recorder.publish(CALL, '{"slope":1.9,"shift":1}');
    expect((await terminalFor(recorder, CALL, from)).status).toBe('applied');
    expect(loggedBy(bridge, 'warn', 'error').filter(({ msg }) => msg.startsWith('the database could not be written'))).toHaveLength(1);
    expect(await bridge.end('SIGTERM')).toBe(0);
  },
);
