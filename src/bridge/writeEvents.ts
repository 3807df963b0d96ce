import type { BridgeView } from './bridgeView.ts';
import type { CompositeTopics } from './publish/devices/composites.ts';
import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import type { LastAnswers } from './publish/devices/lastAnswers.ts';
import type { UntilTopics } from './publish/devices/untilTopics.ts';
import type { Composites } from './state/composites.ts';
import type { ResultPublisher } from './writes/answers/resultPublisher.ts';
import type { RevertScheduler } from './writes/ends/revertScheduler.ts';
import type { CommandSender } from './writes/send/commandSender.ts';
import type { WriteLog } from './writes/write/writeLog.ts';

export type WriteFollowers = {
  readonly writes: WriteLog;
  readonly sender: CommandSender;
  readonly results: ResultPublisher;
  readonly composites: Composites;
  readonly topics: DeviceTopics;
  readonly compositeTopics: CompositeTopics;
  readonly untilTopics: UntilTopics;
  readonly reverts: RevertScheduler;
  readonly answers: LastAnswers;
  readonly view: BridgeView;
};

/** Connects what becomes of writes, and the answers to them, to the parts that follow. */
export const connectWriteEvents = (parts: WriteFollowers): void => {
  const { writes, sender, results, composites, topics, compositeTopics, untilTopics, reverts, answers, view } = parts;
  writes.on('shownChanged', (state, feature) => composites.learn(state, [feature]));
  writes.on('shownChanged', (state, feature) => topics.showFeature(state, feature));
  writes.on('shownChanged', (state, feature) => compositeTopics.show(state, [feature]));
  writes.on('endChanged', (place) => untilTopics.show(place));
  writes.on('endChanged', () => reverts.wake());
  sender.on('accepted', (sent) => composites.accepted(sent));
  results.on('answer', (answer) => view.emit('answer', answer));
  results.on('answer', (_, published) => answers.note(published));
  results.on('answer', (_, published) => topics.showAnswer(published));
};
