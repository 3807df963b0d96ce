import { SerialQueue } from '../shared/serialQueue.ts';
import { CommandParser } from './commands/commandParser.ts';
import type { Reading } from './compose.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import type { Device } from './devices/deviceState.ts';
import { Admission } from './execution/admission.ts';
import { Coalescer } from './execution/coalescer.ts';
import { CommandHandler } from './execution/commandHandler.ts';
import { CommandSender } from './execution/commandSender.ts';
import { JournalRecovery } from './execution/journalRecovery.ts';
import type { Member } from './execution/mergeWrites.ts';
import { ResultPublisher } from './execution/resultPublisher.ts';
import type { SendObserver, Sent } from './execution/sentCommand.ts';
import { UndoHistory } from './execution/undoHistory.ts';
import { OverrideRepository } from './overrides/overrideRepository.ts';
import { RevertScheduler } from './overrides/revertScheduler.ts';

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

/** Makes and joins the parts of that way; nothing begins by itself. */
export const makeCommands = (settings: BridgeSettings, dependencies: Dependencies, reading: Reading, signal: AbortSignal): Commands => {
  const { base, commands: rules, profiles, timeZone } = settings;
  const { platform, quota, journal, finder, clock, log } = dependencies;
  const { publisher, composites, clockwork, confirmation, records, left } = reading;
  const { states } = reading.devices;
  const zone = (device: Device): string => clockwork.zone(device)?.name ?? timeZone.machine;
  const queue = new SerialQueue();
  const results = new ResultPublisher(base, publisher, clock, log);
  const overrides = new OverrideRepository({ base, zone }, states, dependencies.temporaries, left, publisher, log);
  const undo = new UndoHistory(dependencies.undo, overrides, clock);
  const observers = [undo, overrides, shownValues(reading)];
  const sender = new CommandSender(platform, quota, journal, confirmation, observers, clock, signal);
  const admission = new Admission(rules, sender, records, overrides, clock, signal);
  const reverts = new RevertScheduler({ base, rules }, states, overrides, results, clock, log);
  const parser = new CommandParser({ base, profiles, zone }, states, composites, undo, clock);
  const coalescer = new Coalescer<Member>(rules.settle_ms, clock);
  const handler = new CommandHandler(parser, admission, coalescer, sender, reverts, queue, log);
  const recovery = new JournalRecovery(journal, states, finder, confirmation, overrides, results, log);
  return {
    parser,
    handler,
    results,
    overrides,
    runReverts: () => reverts.run(signal, (request, write) => handler.enqueue(request, write)),
    recover: () => recovery.run(left, queue),
  };
};

/** Shows what commands change, and passes on how their calls failed. */
const shownValues = ({ composites, topics, heed }: Reading): SendObserver => {
  const show = ({ state, feature, effect }: Sent): void => {
    if (!effect) return;
    topics.showFeature(state, feature);
    topics.showComposites(state);
  };
  return {
    failed: heed,
    accepted: (sent) => {
      for (const { write } of sent.shares)
        if (write.setpoint) composites.overridden(sent.state, write.setpoint.composite, write.feature, write.setpoint.celsius);
      show(sent);
    },
    ended: show,
  };
};
