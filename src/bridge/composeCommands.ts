import { SerialQueue } from '../shared/serialQueue.ts';
import { type CommandParser, commandParser } from './commands/commandParser.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { type Device, deviceKey } from './devices/deviceState.ts';
import type { FeatureStore } from './devices/featureStore.ts';
import { admission } from './execution/admission.ts';
import { Coalescer } from './execution/coalescer.ts';
import { type CommandHandler, commandHandler } from './execution/commandHandler.ts';
import { CommandSender } from './execution/commandSender.ts';
import type { Confirmation } from './execution/confirmation.ts';
import { type InterruptedWrite, journalRecovery } from './execution/journalRecovery.ts';
import type { Member } from './execution/mergeWrites.ts';
import type { RecordReader } from './execution/recordReader.ts';
import { ResultPublisher } from './execution/resultPublisher.ts';
import type { SendObserver, Sent } from './execution/sentCommand.ts';
import { UndoHistory } from './execution/undoHistory.ts';
import { OverrideRepository } from './overrides/overrideRepository.ts';
import { RevertScheduler } from './overrides/revertScheduler.ts';
import type { PlatformAccess } from './polling/platformAccess.ts';
import type { Composites } from './publishing/composites.ts';
import type { RetainedPublisher } from './publishing/retainedPublisher.ts';
import type { ScheduleTimer } from './publishing/scheduleTimer.ts';

/** The way of a command to its result. */
export type Commands = {
  readonly parser: CommandParser;
  readonly handler: CommandHandler;
  readonly results: ResultPublisher;
  readonly overrides: OverrideRepository;
  /** Brings back what temporary writes replaced, until the bridge is stopped. */
  readonly runReverts: () => Promise<void>;
  /** Finds out about the writes that an earlier run had sent, and answers those that it had not answered. */
  readonly recover: () => Promise<void>;
};

/** What commands use of the way from the platform to the broker. */
type ReadHalf = {
  readonly store: FeatureStore;
  readonly timer: ScheduleTimer;
  readonly publisher: RetainedPublisher;
  readonly composites: Composites;
  readonly records: RecordReader;
  readonly confirmation: Confirmation;
  readonly access: PlatformAccess;
  /** What an earlier run has left in the journal. */
  readonly left: readonly InterruptedWrite[];
};

/** Makes and joins the parts of that way; nothing begins by itself. */
export const makeCommands = (
  settings: BridgeSettings,
  dependencies: Dependencies,
  { store, timer, publisher, composites, records, confirmation, access, left }: ReadHalf,
  signal: AbortSignal,
): Commands => {
  const { base, commands: rules, profiles, timeZone } = settings;
  const { platform, quota, journal, discovery, clock, log } = dependencies;
  const { states } = store;
  const zone = (device: Device): string => timer.zone(device)?.name ?? timeZone.machine;
  const queue = new SerialQueue();
  const results = new ResultPublisher(base, publisher, clock, log);
  const overrides = new OverrideRepository({ base, zone }, states, dependencies.temporaries, left, publisher, log);
  const undo = new UndoHistory(dependencies.undo, overrides, clock);
  const observers = [undo, overrides, shownValues(store, composites, access)];
  const sender = new CommandSender(platform, quota, journal, confirmation, observers, clock, signal);
  const admissions = admission(rules, sender, records, overrides, clock, signal);
  const reverts = new RevertScheduler({ base, rules }, states, overrides, results, clock, log);
  const parser = commandParser({ base, profiles, zone }, states, composites, undo, clock);
  const coalescer = new Coalescer<Member>(rules.settle_ms, clock);
  const handler = commandHandler(parser, admissions, coalescer, sender, reverts, queue, log);
  const recover = journalRecovery(journal, states, discovery, confirmation, overrides, results, log);
  return {
    parser,
    handler,
    results,
    overrides,
    runReverts: () => reverts.run(signal, (request, write) => handler.enqueue(request, write)),
    recover: () => recover(left, queue),
  };
};

/** Has what commands change published, and passes on how their calls failed. */
const shownValues = (store: FeatureStore, composites: Composites, access: PlatformAccess): SendObserver => {
  const show = ({ state, feature, effect }: Sent): void => {
    if (effect) store.emit('pendingChanged', state, feature);
  };
  return {
    failed: (failure) => access.callFailed(failure),
    accepted: (sent) => {
      for (const { write } of sent.shares)
        if (write.setpoint)
          composites.memory.overridden(deviceKey(sent.state.device), write.setpoint.composite, write.feature, write.setpoint.celsius);
      show(sent);
    },
    ended: show,
  };
};
