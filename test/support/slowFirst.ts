import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait long, longest first. Any of them started last would wait alone. */
const SLOW = [
  'mqtt/brokerHands',
  'mqtt/leftBehind',
  'mqtt/twoBases',
  'mqtt/brokerFaults',
  'mqtt/broker',
  'cli/forget',
  'platform/limited',
  'restarts/fullDisk',
  'mqtt/discoveryLife',
  'quota/pollBudget',
  'storage/lock',
  'execution/weeksModel',
  'long/kills',
  'long/months',
  'long/writesTrusted',
  'long/phases',
].map((name) => `/${name}.test.ts`);

const rank = ({ moduleId }: TestSpecification): number => {
  const at = SLOW.findIndex((end) => moduleId.endsWith(end));
  return at < 0 ? SLOW.length : at;
};

/** Starts the slow files first, the others as vitest does. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
